/** The objects of files that the management API can have, and the workspaces they belong to. */
import { isObject } from '@gatehouse/crds';
import type { FileProblem, LocatedObject } from '../resource-folder/index.ts';
import { FAMILIES, familyOf, type Path } from '../rest-families/index.ts';
import { problemAt, type Wanted } from './plan.ts';

export interface WantedObjects {
  /** In the order in which they are made. */
  readonly wanted: readonly Wanted[];
  /** Of Kinds without a family. */
  readonly others: readonly LocatedObject[];
  readonly problems: readonly FileProblem[];
}

/** Members of metadata that API servers write themselves. */
const OF_SERVERS: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'generation',
  'managedFields',
  'name',
  'namespace',
  'resourceVersion',
  'selfLink',
  'uid',
]);
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** `workspace` is the slug that the caller names for all of them. */
export function wantedObjects(objects: readonly LocatedObject[], workspace: string | undefined): WantedObjects {
  const workspaces = workspacesIn(objects);
  const found = objects
    .filter(({ object: { kind } }) => kind !== 'Secret' && kind !== 'Namespace')
    .map((located) => toWanted(located, { workspaces, workspace }));
  const others = found.flatMap(({ other }) => (other === undefined ? [] : [other]));
  const wanted = found.flatMap((one) => (one.wanted === undefined ? [] : [one.wanted]));
  const order = new Map(FAMILIES.map((family, i) => [family, i]));
  return {
    wanted: wanted.toSorted((a, b) => (order.get(a.family) ?? 0) - (order.get(b.family) ?? 0)),
    others,
    problems: [...found.flatMap(({ problems = [] }) => problems), ...duplicates(wanted)],
  };
}

interface FoundObject {
  readonly wanted?: Wanted;
  readonly other?: LocatedObject;
  readonly problems?: readonly FileProblem[];
}

interface Naming {
  readonly workspaces: ReadonlyMap<string, string>;
  readonly workspace: string | undefined;
}

function toWanted(located: LocatedObject, { workspaces, workspace }: Naming): FoundObject {
  const { object } = located;
  const family = familyOf(object.kind);
  if (family === undefined) return { other: located };
  const own = object.inDefaultNamespace ? undefined : object.value.metadata.namespace;
  const named = own === undefined ? undefined : (workspaces.get(own) ?? own);
  const problems = problemsOf(located, { named, workspace });
  if (problems.length > 0) return { problems };
  return { wanted: { located, family, name: object.name, workspace: workspaceFor(located, workspace ?? named) } };
}

function duplicates(wanted: readonly Wanted[]): readonly FileProblem[] {
  const places = new Set<string>();
  return wanted.flatMap(({ located, family, name, workspace = '' }) => {
    const place = `${family.kind}/${workspace}/${name}`;
    if (places.has(place)) return [problemAt(located, ['metadata', 'name'], 'the object is defined twice')];
    places.add(place);
    return [];
  });
}

/** Names of workspaces by their namespaces, as Workspaces in the files say. */
function workspacesIn(objects: readonly LocatedObject[]): ReadonlyMap<string, string> {
  return new Map(
    objects.flatMap(({ object: { kind, name, value } }) => {
      const spec = value['spec'];
      const namespace = isObject(spec) ? spec['namespace'] : undefined;
      return kind === 'Workspace' && typeof namespace === 'string' ? [[namespace, name] as const] : [];
    }),
  );
}

/** Keys of the organisation belong to none. */
function workspaceFor({ object: { value } }: LocatedObject, workspace: string | undefined): string | undefined {
  const spec = value['spec'];
  return isObject(spec) && spec['type'] === 'organisation-service' ? undefined : workspace;
}

interface Workspaces {
  /** Of the object itself. */
  readonly named: string | undefined;
  /** Of the caller. */
  readonly workspace: string | undefined;
}

function problemsOf(located: LocatedObject, { named, workspace }: Workspaces): FileProblem[] {
  const { metadata } = located.object.value;
  const problem = (path: Path, message: string) => problemAt(located, ['metadata', ...path], message);
  const found = Object.keys(metadata).flatMap((member): FileProblem[] => {
    if (OF_SERVERS.has(member)) return [];
    const value = metadata[member];
    const names = isObject(value) ? Object.keys(value).filter((name) => name !== LAST_APPLIED) : [''];
    return names.length === 0
      ? []
      : [problem([member], `the management API keeps no ${member}; use kubectl for this object`)];
  });
  if (workspace === undefined || named === undefined || named === workspace) return found;
  return [
    ...found,
    problem(['namespace'], `the object belongs to the workspace ${named}, and ${workspace} is asked for`),
  ];
}
