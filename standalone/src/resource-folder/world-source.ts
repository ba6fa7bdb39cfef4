/** Merges all files into one World, and maps issues of its objects to positions in files. */
import { isDeepStrictEqual } from 'node:util';
import { formatPath } from '@gatehouse/crds';
import type { TargetCaps } from '@gatehouse/crds/config';
import type { KindName } from '@gatehouse/crds/kinds';
import type { Variables } from '@gatehouse/gateway';
import type { Lookup, SecretData, Verdict, World, WorldObject } from '@gatehouse/operator/translate';
import type { FoundProblem } from './consequences.ts';
import type { FileSet } from './file-set.ts';
import { createImpliedWorkspace, type Implied } from './implied-workspace.ts';
import { type FileObject, withheldBy } from './objects.ts';
import type { FileProblem } from './problem.ts';
import { type LocatedObject, remarksOf } from './remarks.ts';
import { createEnvironmentSecrets, createStandIns, readSecret } from './secrets.ts';

/** The namespace of the organisation, to which objects without a namespace belong. */
export const ORGANISATION_NAMESPACE = 'gatehouse-system';

export interface GatheredWorld {
  readonly world: World;
  /** Every object of a file, by `Kind/namespace/name` or `Kind/name`. */
  readonly located: ReadonlyMap<string, LocatedObject>;
  /** Problems of files, of Secrets and of objects that are defined twice. */
  readonly problems: readonly FoundProblem[];
  /** Settings that are valid, but most likely not what was meant. */
  readonly remarks: readonly FileProblem[];
  /** The issues of verdicts with their positions in files. */
  locate(verdicts: readonly Verdict[]): readonly FoundProblem[];
  /** Keys of all objects, with their Kinds. */
  keys(): Iterable<string>;
}

export interface WorldSource {
  /**
   * Merges the objects of the files; an object that has not changed since the last call is identical. `isComplete`: no file or folder
   * is left out because it cannot be read.
   */
  gather(files: FileSet, reading: { readonly isComplete: boolean }): GatheredWorld;
}

interface WorldSourceOptions {
  /** The environment, for Secrets that are not in the folder. */
  readonly variables: Variables;
  readonly caps: TargetCaps;
  /** Ports of this machine where a mock provider answers. */
  readonly mockPorts?: readonly number[] | undefined;
  /** As in `createResourceFolder`. */
  readonly standIns?: boolean | undefined;
  /** Values of SecretReferences; absent: they are not fetched. */
  readonly managedSecrets?: World['managedSecrets'];
}

/** The result of reading an object, reused as long as its content does not change. */
interface CachedObject {
  readonly value: WorldObject;
  readonly resource: WorldObject;
  readonly secret: SecretData;
}

/** A World without a cluster: every namespace belongs to its workspace without a label, and no keys are generated. */
export function createWorldSource({
  variables,
  caps,
  mockPorts = [],
  managedSecrets,
  standIns = false,
}: WorldSourceOptions): WorldSource {
  const withEnvironment = createEnvironmentSecrets(variables);
  const complete = standIns ? createStandIns() : (secrets: Lookup<SecretData>) => secrets;
  const imply = createImpliedWorkspace();
  let cached: ReadonlyMap<string, CachedObject> = new Map();
  return {
    gather: (files, { isComplete }) => {
      const implied = imply(files, isComplete);
      const { located, problems } = locateObjects(files, implied);
      const before = cached;
      cached = new Map([...located].map(([id, { object }]) => [id, cacheObject(before.get(id), object)]));
      return {
        world: {
          resources: resourcesOf(located, cached, implied),
          secrets: complete(withEnvironment(secretsOf(located, cached))),
          namespaces: new Map(),
          managedSecrets,
          settings: {
            organisationNamespace: ORGANISATION_NAMESPACE,
            consent: 'implied',
            mintsKeys: false,
            withoutAdmission: true,
            caps,
          },
          served: 'all',
        },
        located,
        problems,
        remarks: remarksOf(located.values(), { variables, mockPorts }),
        locate: (verdicts) => verdicts.flatMap((verdict) => locate(verdict, located)),
        keys: () => located.keys(),
      };
    },
  };
}

/** Every object by `Kind/key`; of two with the same name the one in the first file is used. */
function locateObjects(
  files: FileSet,
  { place }: Implied,
): {
  readonly located: ReadonlyMap<string, LocatedObject>;
  readonly problems: readonly FoundProblem[];
} {
  const located = new Map<string, LocatedObject>();
  const problems: FoundProblem[] = [];
  for (const [file, { content, problems: own }] of files) {
    problems.push(...own);
    for (const object of content.objects.map(place)) {
      const id = `${object.kind}/${object.key}`;
      const first = located.get(id);
      if (first === undefined) located.set(id, { file, object });
      else problems.push({ problem: duplicate(file, object, first), withholds: [], refersTo: [] });
      if (object.kind === 'Secret') problems.push(...secretProblems(file, object));
    }
  }
  return { located, problems };
}

const labelOf = ({ kind, name }: { readonly kind: string; readonly name: string }): string => `${kind}/${name}`;

function duplicate(file: string, object: FileObject, first: LocatedObject): FileProblem {
  const { line } = first.object.locate(['metadata', 'name']);
  const message = `the same object is already defined in ${first.file}:${line}, which is used`;
  return { file, ...object.locate(['metadata', 'name']), object: labelOf(object), path: 'metadata.name', message };
}

function secretProblems(file: string, object: FileObject): FoundProblem[] {
  return readSecret(object.value).problems.map(({ path, message }) => ({
    problem: { file, ...object.locate(path), object: labelOf(object), path: formatPath(path), message },
    withholds: [`Secret/${object.key}`],
    refersTo: [],
  }));
}

function cacheObject(last: CachedObject | undefined, { kind, value }: FileObject): CachedObject {
  if (last !== undefined && isDeepStrictEqual(last.value, value)) return last;
  const { metadata } = value;
  // The generation, which an API server would count, where the file has none.
  const generation = metadata.generation ?? (last?.resource.metadata.generation ?? 0) + 1;
  return {
    value,
    resource: deepFreeze({ ...value, metadata: { ...metadata, generation } }),
    secret: kind === 'Secret' ? readSecret(value).data : NO_DATA,
  };
}

const NO_DATA: SecretData = new Map();

type KeptObjects = ReadonlyMap<string, CachedObject>;

function resourcesOf(
  located: ReadonlyMap<string, LocatedObject>,
  cached: KeptObjects,
  { workspace }: Implied,
): World['resources'] {
  const resources = new Map<KindName, Map<string, WorldObject>>();
  if (workspace !== undefined) resources.set('Workspace', new Map([[workspace.metadata.name, workspace]]));
  for (const [id, { object }] of located) {
    const resource = cached.get(id)?.resource;
    if (resource === undefined || object.kind === 'Secret' || object.kind === 'Namespace') continue;
    const own = resources.get(object.kind) ?? new Map<string, WorldObject>();
    resources.set(object.kind, own.set(object.key, resource));
  }
  return resources;
}

function secretsOf(located: ReadonlyMap<string, LocatedObject>, cached: KeptObjects): ReadonlyMap<string, SecretData> {
  return new Map(
    [...located].flatMap(([id, { object }]) => {
      const secret = cached.get(id)?.secret;
      return object.kind === 'Secret' && secret !== undefined ? [[object.key, secret] as const] : [];
    }),
  );
}

function locate(
  { key, kind, name, issues, serves }: Verdict,
  located: ReadonlyMap<string, LocatedObject>,
): FoundProblem[] {
  const found = located.get(key);
  if (found === undefined) return [];
  const { file, object } = found;
  const withholds = serves === 'nothing' ? withheldBy(object) : [];
  // What is about to exist is no problem of a file.
  const wrong = issues.filter(({ reason }) => reason !== 'Pending');
  return wrong.map(({ path, message, refersTo = [] }) => ({
    problem: { file, ...object.locate(path), object: labelOf({ kind, name }), path: formatPath(path), message },
    withholds,
    refersTo,
  }));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
