/** All files together: one World, and where each of its objects stands. */
import { isDeepStrictEqual } from 'node:util';
import { formatPath } from '@gatehouse/crds';
import type { TargetCaps } from '@gatehouse/crds/config';
import type { KindName } from '@gatehouse/crds/kinds';
import type { Variables } from '@gatehouse/gateway';
import type { SecretData, Verdict, World, WorldObject } from '@gatehouse/operator/translate';
import type { FileSet } from './file-set.ts';
import type { FileObject } from './objects.ts';
import { byPosition, type FileProblem } from './problem.ts';
import { createEnvironmentSecrets, readSecret } from './secrets.ts';

/** Where objects without a namespace belong (DESIGN section 4). */
export const ORGANISATION_NAMESPACE = 'gatehouse-system';

export interface GatheredWorld {
  readonly world: World;
  /** Problems of files, of Secrets and of objects that stand in two places. */
  readonly problems: readonly FileProblem[];
  /** Places the issues of verdicts in their files. */
  locate(verdicts: readonly Verdict[]): readonly FileProblem[];
}

export interface WorldSource {
  /** Gathers the objects of the files; what has not changed since the last call is the same object. */
  gather(files: FileSet): GatheredWorld;
}

interface WorldSourceOptions {
  /** The environment, for Secrets that the folder does not hold. */
  readonly variables: Variables;
  readonly caps: TargetCaps;
}

/** An object and the file it stands in. */
interface LocatedObject {
  readonly file: string;
  readonly object: FileObject;
}

/** What was made of an object's text: the same as long as the text says the same. */
interface CachedObject {
  readonly value: WorldObject;
  readonly resource: WorldObject;
  readonly secret: SecretData;
}

/** A world without a cluster: namespaces consent, and nobody mints keys. */
export function createWorldSource({ variables, caps }: WorldSourceOptions): WorldSource {
  const withEnvironment = createEnvironmentSecrets(variables);
  let cached: ReadonlyMap<string, CachedObject> = new Map();
  return {
    gather: (files) => {
      const { located, problems } = locateObjects(files);
      const before = cached;
      cached = new Map([...located].map(([id, { object }]) => [id, cacheObject(before.get(id), object)]));
      return {
        world: {
          resources: resourcesOf(located, cached),
          secrets: withEnvironment(secretsOf(located, cached)),
          namespaces: new Map(),
          settings: { organisationNamespace: ORGANISATION_NAMESPACE, consent: 'implied', mintsKeys: false, caps },
          served: 'all',
        },
        problems: problems.sort(byPosition),
        locate: (verdicts) => verdicts.flatMap((verdict) => locate(verdict, located)).sort(byPosition),
      };
    },
  };
}

/** Every object by `Kind/key`; of two with the same name the one in the first file counts. */
function locateObjects(files: FileSet): {
  readonly located: ReadonlyMap<string, LocatedObject>;
  readonly problems: FileProblem[];
} {
  const located = new Map<string, LocatedObject>();
  const problems: FileProblem[] = [];
  for (const [file, { content, problems: own }] of files) {
    problems.push(...own);
    for (const object of content.objects) {
      const id = `${object.kind}/${object.key}`;
      const first = located.get(id);
      if (first === undefined) located.set(id, { file, object });
      else problems.push(duplicate(file, object, first));
      if (object.kind === 'Secret') problems.push(...secretProblems(file, object));
    }
  }
  return { located, problems };
}

const labelOf = ({ kind, name }: { readonly kind: string; readonly name: string }): string => `${kind}/${name}`;

function duplicate(file: string, object: FileObject, first: LocatedObject): FileProblem {
  const { line } = first.object.locate(['metadata', 'name']);
  const message = `the same object stands in ${first.file}:${line}, which counts`;
  return { file, ...object.locate(['metadata', 'name']), object: labelOf(object), path: 'metadata.name', message };
}

function secretProblems(file: string, object: FileObject): FileProblem[] {
  return readSecret(object.value).problems.map(({ path, message }) => ({
    file,
    ...object.locate(path),
    object: labelOf(object),
    path: formatPath(path),
    message,
  }));
}

function cacheObject(last: CachedObject | undefined, { kind, value }: FileObject): CachedObject {
  if (last !== undefined && isDeepStrictEqual(last.value, value)) return last;
  const { metadata } = value;
  // A cluster counts the generations of an object; so do we where the file does not.
  const generation = metadata.generation ?? (last?.resource.metadata.generation ?? 0) + 1;
  return {
    value,
    resource: deepFreeze({ ...value, metadata: { ...metadata, generation } }),
    secret: kind === 'Secret' ? readSecret(value).data : NO_DATA,
  };
}

const NO_DATA: SecretData = new Map();

type KeptObjects = ReadonlyMap<string, CachedObject>;

function resourcesOf(located: ReadonlyMap<string, LocatedObject>, cached: KeptObjects): World['resources'] {
  const resources = new Map<KindName, Map<string, WorldObject>>();
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

function locate({ key, kind, name, issues }: Verdict, located: ReadonlyMap<string, LocatedObject>): FileProblem[] {
  const found = located.get(key);
  if (found === undefined) return [];
  const { file, object } = found;
  return issues.map(({ path, message }) => ({
    file,
    ...object.locate(path),
    object: labelOf({ kind, name }),
    path: formatPath(path),
    message,
  }));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
