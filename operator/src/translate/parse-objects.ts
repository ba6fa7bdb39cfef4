/** First half of a translation: each object by itself, read and checked, whatever else the world holds. */
import { err, type Issue, type Result } from '@gatehouse/crds';
import { type KindName, parseResource, type ResourceOf } from '@gatehouse/crds/kinds';
import type { Item, Items, Outcome, Source } from './incremental/index.ts';
import { IMPLIED_ORGANISATION, inSlices, LayeredMap, type Steps } from './incremental/index.ts';
import { checksOf } from './rules/index.ts';
import type { Broken, Row, World, WorldObject, WorldObjects, WorldSettings } from './types/index.ts';
import {
  awaited,
  FAULT,
  type Failure,
  type Finding,
  fromIssue,
  overQuota,
  unowned,
  verdictKey,
} from './types/index.ts';

export interface Past {
  readonly before: Items;
  /** The objects `before` was made of. */
  readonly objects: World['resources'];
  /** False when the rules themselves have changed since. */
  readonly trusted: boolean;
}

/** Keys of objects that are to be read or are gone, by Kind. */
export type Due = ReadonlyMap<KindName, ReadonlySet<string>>;

/** Whether objects are read, and what they count. */
export interface Admission {
  rowOf(kind: KindName, key: string): Row | undefined;
  /** Undefined: the object is within the bounds. */
  refusalOf(kind: KindName, key: string): Refusal | undefined;
}

export interface Refusal {
  readonly broken: readonly Broken[];
  /** Whether the object is in anybody's hands. */
  readonly owned: boolean;
  /** Whether it is read all the same, so that what it grants can be taken back. */
  readonly revocable: boolean;
}

export const EVERYTHING_READ: Admission = { rowOf: () => undefined, refusalOf: () => undefined };

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

/** The objects that are not what they were. */
export function dueOf(world: World, { before, objects, trusted }: Past, kinds: readonly KindName[]): Due {
  return new Map(
    kinds.map((kind) => {
      const known = before.get(kind) ?? new LayeredMap<Item>();
      const last = trusted ? objectsOf(objects, kind) : undefined;
      return [kind, new Set(changedKeys(objectsOf(world.resources, kind), last, known))];
    }),
  );
}

/** Reads what is due and takes over the rest. */
export function* readItems(world: World, before: Items, due: Due, admission: Admission): Steps<ReadItems> {
  const items = new Map<KindName, LayeredMap<Item>>();
  const changed = new Map<KindName, readonly string[]>();
  const gone: Outcome[] = [];
  const failures: Failure[] = [];
  let parsed = 0;
  for (const [kind, keys] of due) {
    const known = before.get(kind) ?? new LayeredMap<Item>();
    const now = objectsOf(world.resources, kind);
    const changes = yield* readObjects(keys, now, { kind, known, settings: world.settings, admission, failures });
    for (const [key, item] of changes) {
      const made = known.get(key)?.outcome;
      if (item === undefined) {
        if (made !== undefined) gone.push(made);
      } else if (item.source.content === 'read') parsed += 1;
    }
    items.set(kind, known.with(changes));
    changed.set(kind, [...changes.keys()]);
  }
  return { items, changed, gone, parsed, failures };
}

interface ReadContext {
  readonly kind: KindName;
  readonly known: LayeredMap<Item>;
  readonly settings: WorldSettings;
  readonly admission: Admission;
  /** Added to. */
  readonly failures: Failure[];
}

/** The items of some keys; undefined for objects that are gone. */
function* readObjects(
  keys: Iterable<string>,
  objects: WorldObjects,
  { kind, known, settings, admission, failures }: ReadContext,
): Steps<ReadonlyMap<string, Item | undefined>> {
  const changes = new Map<string, Item | undefined>();
  yield* inSlices(keys, (key) => {
    const object = objects.get(key);
    const item = known.get(key);
    if (isPresent(object)) {
      const refusal = admission.refusalOf(kind, key);
      const options = { key, row: admission.rowOf(kind, key), last: item?.source };
      const read = (): Source => readSource(object, { ...options, settings, failures });
      const source = refusal === undefined ? read() : refuseSource(object, { ...options, ...refusal, read });
      changes.set(key, { source, outcome: item?.outcome });
    } else if (item !== undefined) changes.set(key, undefined);
  });
  return changes;
}

/** The object under a key, unless it is being deleted. */
export function presentIn(resources: World['resources'], kind: KindName, key: string): WorldObject | undefined {
  const object = objectsOf(resources, kind).get(key);
  return isPresent(object) ? object : undefined;
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
  readonly row: Row | undefined;
  readonly last: Source | undefined;
}

interface ReadSourceOptions extends SourceOptions {
  readonly settings: WorldSettings;
  readonly failures: Failure[];
}

function readSource(object: WorldObject, { key, row, last, settings, failures }: ReadSourceOptions): Source {
  const { kind } = object;
  if (object.weight !== undefined) return withheldSource(object, { key, row, last });
  let refusals: readonly Finding[];
  try {
    const read = readResource(kind, object, settings);
    if (read.ok) return { kind, key, object, resource: read.value, refusals: [], row, content: 'read' };
    refusals = read.error.map(fromIssue);
  } catch (error) {
    failures.push({ key: verdictKey(kind, key), error });
    refusals = [FAULT];
  }
  const resource = last?.resource ?? fallbackOf(kind, key, settings);
  return { kind, key, object, resource, refusals, row, content: 'read' };
}

/**
 * Nothing of the object is looked at, unless an edit may take back what it grants; what was read of it before still counts where
 * it is in somebody's hands.
 */
function refuseSource(
  object: WorldObject,
  { key, row, last, broken, owned, revocable, read }: SourceOptions & Refusal & { readonly read: () => Source },
): Source {
  const common = { kind: object.kind, key, object, row, content: 'refused' as const };
  if (!owned) return { ...common, resource: undefined, refusals: [unowned(object.metadata.namespace)] };
  if (!revocable) return { ...common, resource: last?.resource, refusals: [overQuota(broken)] };
  const source = read();
  return { ...source, refusals: [overQuota(broken), ...source.refusals] };
}

/** An object without its content: it is what it was, or the content has to be asked for. */
function withheldSource(object: WorldObject, { key, row, last }: SourceOptions): Source {
  if (last?.content === 'read' && isSameContent(last.object, object)) return { ...last, object, row };
  const refusals = [awaited([], 'the resource is being read')];
  return { kind: object.kind, key, object, resource: last?.resource, refusals, row, content: 'awaited' };
}

const isSameContent = (a: WorldObject, b: WorldObject): boolean =>
  a.metadata['uid'] === b.metadata['uid'] && a.metadata.generation === b.metadata.generation;

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
