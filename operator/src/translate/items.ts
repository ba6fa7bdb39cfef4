/** First half of a translation: each object by itself, read and checked, whatever else the world holds. */
import { err, type Issue, type Result } from '@gatehouse/crds';
import { API_VERSION, type KindName, parseResource, type ResourceOf } from '@gatehouse/crds/kinds';
import { byAge } from './age.ts';
import { FAULT, type Failure, type Finding, fromIssue } from './findings.ts';
import { checksOf, KIND_ORDER } from './kinds/index.ts';
import { LayeredMap } from './layered-map.ts';
import type { Outcome } from './outcomes.ts';
import { inSlices, type Steps } from './steps.ts';
import { verdictKey } from './verdict.ts';
import type { World, WorldObject, WorldObjects, WorldSettings } from './world.ts';

export interface Source<K extends KindName = KindName> {
  readonly kind: K;
  readonly key: string;
  readonly object: WorldObject;
  /** What counts: what the object says or, if that is not valid, the last it said that was. */
  readonly resource: ResourceOf<K> | undefined;
  /** Why the object, as it is now, does not count. */
  readonly refusals: readonly Finding[];
}

/** An object with what was last made of it: of this very source, or of an earlier one. */
export interface Item {
  readonly source: Source;
  readonly outcome: Outcome | undefined;
}

export type Items = ReadonlyMap<KindName, LayeredMap<Item>>;

/** Stands for the Organisation of an installation that has none: everything by default. */
export const IMPLIED_ORGANISATION: WorldObject = {
  apiVersion: API_VERSION,
  kind: 'Organisation',
  metadata: { name: 'default', generation: 0 },
  spec: {},
};

/** The resource that counts under a key. */
export function resourceOf<K extends KindName>(items: Items, kind: K, key: string): ResourceOf<K> | undefined {
  // Each Kind's map holds items of that Kind; the type of the outer map cannot say so.
  return items.get(kind)?.get(key)?.source.resource as ResourceOf<K> | undefined;
}

/** All resources of a Kind that count, oldest first. */
export function resourcesOf<K extends KindName>(items: Items, kind: K): readonly ResourceOf<K>[] {
  const found: ResourceOf<K>[] = [];
  items.get(kind)?.forEach(({ source: { resource } }) => {
    if (resource !== undefined) found.push(resource as ResourceOf<K>); // as above
  });
  return found.sort(byAge);
}

interface ReadOptions {
  readonly before: Items;
  /** The objects `before` was made of. */
  readonly objects: World['resources'];
  /** False when the rules themselves have changed since. */
  readonly trusted: boolean;
}

export interface ReadItems {
  readonly items: Items;
  /** Keys of what is new, edited or gone. */
  readonly changed: ReadonlyMap<KindName, readonly string[]>;
  /** What was made of objects that are gone. */
  readonly gone: readonly Outcome[];
  /** How many objects were parsed. */
  readonly parsed: number;
  readonly failures: readonly Failure[];
}

/** Reads what has changed and takes over the rest. */
export function* readItems(world: World, { before, objects, trusted }: ReadOptions): Steps<ReadItems> {
  const items = new Map<KindName, LayeredMap<Item>>();
  const changed = new Map<KindName, readonly string[]>();
  const gone: Outcome[] = [];
  const failures: Failure[] = [];
  let parsed = 0;
  for (const kind of KIND_ORDER) {
    const known = before.get(kind) ?? new LayeredMap<Item>();
    const now = objectsOf(world.resources, kind);
    const keys = changedKeys(now, trusted ? objectsOf(objects, kind) : undefined, known);
    const changes = yield* readObjects(keys, now, { known, settings: world.settings, failures });
    for (const [key, item] of changes) {
      const made = known.get(key)?.outcome;
      if (item !== undefined) parsed += 1;
      else if (made !== undefined) gone.push(made);
    }
    items.set(kind, known.with(changes));
    changed.set(kind, [...changes.keys()]);
  }
  return { items, changed, gone, parsed, failures };
}

interface ReadContext {
  readonly known: LayeredMap<Item>;
  readonly settings: WorldSettings;
  /** Added to. */
  readonly failures: Failure[];
}

/** The items of some keys; undefined for objects that are gone. */
function* readObjects(
  keys: Iterable<string>,
  objects: WorldObjects,
  { known, settings, failures }: ReadContext,
): Steps<ReadonlyMap<string, Item | undefined>> {
  const changes = new Map<string, Item | undefined>();
  yield* inSlices(keys, (key) => {
    const object = objects.get(key);
    const item = known.get(key);
    if (isPresent(object)) {
      const source = readSource(object, { key, last: item?.source, settings, failures });
      changes.set(key, { source, outcome: item?.outcome });
    } else if (item !== undefined) changes.set(key, undefined);
  });
  return changes;
}

const NO_OBJECTS: WorldObjects = new Map<string, WorldObject>();

function objectsOf(resources: World['resources'], kind: KindName): WorldObjects {
  const objects = resources.get(kind) ?? NO_OBJECTS;
  const { name } = IMPLIED_ORGANISATION.metadata;
  if (kind !== 'Organisation' || isPresent(objects.get(name))) return objects;
  const implied = new Map([[name, IMPLIED_ORGANISATION]]);
  objects.forEach((object, key) => {
    if (key !== name) implied.set(key, object);
  });
  return implied;
}

/** An object that is being deleted is deleted: only its finalizers are still at work. */
const isPresent = (object: WorldObject | undefined): object is WorldObject =>
  object !== undefined && (object.metadata.deletionTimestamp ?? undefined) === undefined;

/** Keys of objects that are not what they were; all keys where there is nothing to compare with. */
function changedKeys(now: WorldObjects, last: WorldObjects | undefined, known: LayeredMap<Item>): Iterable<string> {
  const told = now instanceof LayeredMap && last instanceof LayeredMap ? now.differingFrom(last) : undefined;
  if (told !== undefined) return told;
  const keys: string[] = [];
  now.forEach((object, key) => {
    if (last === undefined || known.get(key)?.source.object !== object) keys.push(key);
  });
  known.forEach((_, key) => {
    if (now.get(key) === undefined) keys.push(key);
  });
  return keys;
}

interface SourceOptions {
  readonly key: string;
  readonly last: Source | undefined;
  readonly settings: WorldSettings;
  readonly failures: Failure[];
}

function readSource(object: WorldObject, { key, last, settings, failures }: SourceOptions): Source {
  const { kind } = object;
  let refusals: readonly Finding[];
  try {
    const read = readResource(kind, object, settings);
    if (read.ok) return { kind, key, object, resource: read.value, refusals: [] };
    refusals = read.error.map(fromIssue);
  } catch (error) {
    failures.push({ key: verdictKey(kind, key), error });
    refusals = [FAULT];
  }
  return { kind, key, object, resource: last?.resource ?? fallbackOf(kind, key, settings), refusals };
}

function readResource(
  kind: KindName,
  object: WorldObject,
  settings: WorldSettings,
): Result<ResourceOf<KindName>, readonly Issue[]> {
  // The status is ours to write, not to obey: a bad one must not make the object invalid.
  const { status: _, ...wanted } = object;
  const parsed = parseResource(kind, wanted, { caps: settings.caps });
  if (!parsed.ok) return parsed;
  const issues = checksOf(kind, parsed.value, settings);
  return issues.length === 0 ? parsed : err(issues);
}

/** A broken Organisation without a good past counts as none, and that has defaults. */
function fallbackOf(kind: KindName, key: string, settings: WorldSettings): ResourceOf<KindName> | undefined {
  if (kind !== 'Organisation' || key !== IMPLIED_ORGANISATION.metadata.name) return undefined;
  const implied = readResource(kind, IMPLIED_ORGANISATION, settings);
  return implied.ok ? implied.value : undefined;
}
