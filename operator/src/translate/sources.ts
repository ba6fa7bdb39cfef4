/** First half of a translation: each object by itself, read and checked, whatever else the world holds. */
import { err, type Issue, type Result } from '@gatehouse/crds';
import { API_VERSION, type KindName, parseResource, type ResourceOf } from '@gatehouse/crds/kinds';
import { checksOf } from './kinds/index.ts';
import type { World, WorldObject, WorldSettings } from './world.ts';

export interface Source<K extends KindName = KindName> {
  readonly kind: K;
  readonly key: string;
  readonly object: WorldObject;
  /** What counts: what the object says or, if that is not valid, the last it said that was. */
  readonly resource: ResourceOf<K> | undefined;
  /** Why the object, as it is now, does not count. */
  readonly issues: readonly Issue[];
}

export type Sources = ReadonlyMap<KindName, ReadonlyMap<string, Source>>;

/** Stands for the Organisation of an installation that has none: everything by default. */
export const IMPLIED_ORGANISATION: WorldObject = {
  apiVersion: API_VERSION,
  kind: 'Organisation',
  metadata: { name: 'default', generation: 0 },
  spec: {},
};

interface ReadOptions {
  readonly before: Sources;
  /** False when the rules themselves have changed since. */
  readonly trusted: boolean;
}

export interface ReadResult {
  readonly sources: Sources;
  /** How many objects were parsed. */
  readonly parsed: number;
}

/** Reads what has changed; the rest is taken over, object by object and, where a whole kind is unchanged, kind by kind. */
export function readSources(world: World, { before, trusted }: ReadOptions): ReadResult {
  const sources = new Map<KindName, ReadonlyMap<string, Source>>();
  let parsed = 0;
  for (const [kind, objects] of withOrganisation(world.resources)) {
    const known = before.get(kind) ?? new Map<string, Source>();
    const now = new Map<string, Source>();
    let reused = 0;
    for (const [key, object] of objects) {
      if (isLeaving(object)) continue;
      const last = known.get(key);
      if (trusted && last?.object === object) {
        now.set(key, last);
        reused += 1;
      } else {
        now.set(key, readSource(kind, key, object, { last, settings: world.settings }));
        parsed += 1;
      }
    }
    sources.set(kind, reused === now.size && reused === known.size ? known : now);
  }
  return { sources, parsed };
}

/** An object that is being deleted is deleted: only its finalizers are still at work. */
const isLeaving = ({ metadata }: WorldObject): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;

function* withOrganisation(resources: World['resources']): Generator<[KindName, ReadonlyMap<string, WorldObject>]> {
  for (const [kind, objects] of resources) if (kind !== 'Organisation') yield [kind, objects];
  const given = resources.get('Organisation') ?? new Map<string, WorldObject>();
  const { name } = IMPLIED_ORGANISATION.metadata;
  yield ['Organisation', given.has(name) ? given : new Map([...given, [name, IMPLIED_ORGANISATION]])];
}

interface SourceOptions {
  readonly last: Source | undefined;
  readonly settings: WorldSettings;
}

function readSource(kind: KindName, key: string, object: WorldObject, { last, settings }: SourceOptions): Source {
  const read = readResource(kind, object, settings);
  if (read.ok) return { kind, key, object, resource: read.value, issues: [] };
  return { kind, key, object, resource: last?.resource ?? fallbackOf(kind, key, settings), issues: read.error };
}

function readResource(
  kind: KindName,
  object: WorldObject,
  { caps }: WorldSettings,
): Result<ResourceOf<KindName>, readonly Issue[]> {
  // The status is ours to write, not to obey: a bad one must not make the object invalid.
  const { status: _, ...wanted } = object;
  const parsed = parseResource(kind, wanted, { caps });
  if (!parsed.ok) return parsed;
  const issues = checksOf(kind, parsed.value);
  return issues.length === 0 ? parsed : err(issues);
}

/** A broken Organisation without a good past counts as none, and that has defaults. */
function fallbackOf(kind: KindName, key: string, settings: WorldSettings): ResourceOf<KindName> | undefined {
  if (kind !== 'Organisation' || key !== IMPLIED_ORGANISATION.metadata.name) return undefined;
  const implied = readResource(kind, IMPLIED_ORGANISATION, settings);
  return implied.ok ? implied.value : undefined;
}
