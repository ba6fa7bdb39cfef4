/** First half of a translation: parses and checks each object alone. */
import { err, type Issue, type Result } from '@gatehouse/crds';
import { type KindName, parseResource, type ResourceOf } from '@gatehouse/crds/kinds';
import type { ObjectState, ObjectStates, ParsedObject, TranslatedObject } from './incremental/index.ts';
import { DEFAULT_ORGANISATION, inSlices, LayeredMap, type Sliced, sharing } from './incremental/index.ts';
import { checksOf } from './rules/index.ts';
import type { BrokenBound, QuotaRow, World, WorldObject, WorldObjects, WorldSettings } from './types/index.ts';
import {
  type Failure,
  type Finding,
  fromIssue,
  INTERNAL_ERROR,
  noWorkspace,
  overQuota,
  pending,
  verdictKey,
} from './types/index.ts';

export interface PreviousStates {
  readonly before: ObjectStates;
  /** The objects that `before` was parsed from. */
  readonly objects: World['resources'];
  /** False when the settings have changed since. */
  readonly trusted: boolean;
}

/** Keys of objects to parse, or that were removed, by Kind. */
export type DueKeys = ReadonlyMap<KindName, ReadonlySet<string>>;

/** Which objects are within the quota of their namespace, and what they weigh. */
export interface QuotaCheck {
  rowOf(kind: KindName, key: string): QuotaRow | undefined;
  /** Undefined: the object is within the quota. */
  refusalOf(kind: KindName, key: string): QuotaRefusal | undefined;
}

export interface QuotaRefusal {
  readonly broken: readonly BrokenBound[];
  /** Whether a workspace or the organisation owns the namespace. */
  readonly owned: boolean;
  /** Whether it is parsed all the same, so that an edit can revoke what it grants. */
  readonly revocable: boolean;
}

export const NO_QUOTA: QuotaCheck = { rowOf: () => undefined, refusalOf: () => undefined };

export interface ParsedObjects {
  readonly states: ObjectStates;
  /** Keys of new, edited and removed objects. */
  readonly changed: ReadonlyMap<KindName, readonly string[]>;
  /** Translations of removed objects. */
  readonly gone: readonly TranslatedObject[];
  /** How many objects were parsed. */
  readonly parsed: number;
  readonly failures: readonly Failure[];
}

/** The objects that have changed. */
export function findDue(
  world: World,
  { before, objects, trusted }: PreviousStates,
  kinds: readonly KindName[],
): DueKeys {
  return new Map(
    kinds.map((kind) => {
      const known = before.get(kind) ?? new LayeredMap<ObjectState>();
      const last = trusted ? objectsOf(objects, kind) : undefined;
      return [kind, new Set(changedKeys(objectsOf(world.resources, kind), last, known))];
    }),
  );
}

/** Parses the objects that are due and keeps the others. */
export function* parseObjects(
  world: World,
  before: ObjectStates,
  due: DueKeys,
  quotaCheck: QuotaCheck,
): Sliced<ParsedObjects> {
  const states = new Map<KindName, LayeredMap<ObjectState>>();
  const changed = new Map<KindName, readonly string[]>();
  const gone: TranslatedObject[] = [];
  const failures: Failure[] = [];
  let parsed = 0;
  for (const [kind, keys] of due) {
    const known = before.get(kind) ?? new LayeredMap<ObjectState>();
    const now = objectsOf(world.resources, kind);
    const changes = yield* readObjects(keys, now, { kind, known, settings: world.settings, quotaCheck, failures });
    for (const [key, state] of changes) {
      const made = known.get(key)?.translated;
      if (state === undefined) {
        if (made !== undefined) gone.push(made);
      } else if (state.parsed.content === 'read') parsed += 1;
    }
    states.set(kind, known.with(changes));
    changed.set(kind, [...changes.keys()]);
  }
  return { states, changed, gone, parsed, failures };
}

interface ReadContext {
  readonly kind: KindName;
  readonly known: LayeredMap<ObjectState>;
  readonly settings: WorldSettings;
  readonly quotaCheck: QuotaCheck;
  /** Failures are added. */
  readonly failures: Failure[];
}

/** The states of some keys; undefined for removed objects. */
function* readObjects(
  keys: Iterable<string>,
  objects: WorldObjects,
  { kind, known, settings, quotaCheck, failures }: ReadContext,
): Sliced<ReadonlyMap<string, ObjectState | undefined>> {
  const changes = new Map<string, ObjectState | undefined>();
  yield* inSlices(keys, (key) => {
    const object = objects.get(key);
    const state = known.get(key);
    if (isPresent(object)) {
      const refusal = quotaCheck.refusalOf(kind, key);
      const options = { key, row: quotaCheck.rowOf(kind, key), last: state?.parsed };
      const read = (): ParsedObject => readSource(object, { ...options, settings, failures });
      const parsed = refusal === undefined ? read() : refuseSource(object, { ...options, ...refusal, read });
      changes.set(key, { parsed, translated: state?.translated });
    } else if (state !== undefined) changes.set(key, undefined);
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
  const { name } = DEFAULT_ORGANISATION.metadata;
  if (kind !== 'Organisation' || isPresent(objects.get(name))) return objects;
  const implied = new Map([[name, DEFAULT_ORGANISATION]]);
  objects.forEach((object, key) => {
    if (key !== name) implied.set(key, object);
  });
  return implied;
}

/** An object that is being deleted counts as deleted: only its finalizers are still running. */
const isPresent = (object: WorldObject | undefined): object is WorldObject =>
  object !== undefined && (object.metadata.deletionTimestamp ?? undefined) === undefined;

/** Keys of objects that have changed; all keys where there is nothing to compare with. */
function changedKeys(
  now: WorldObjects,
  last: WorldObjects | undefined,
  known: LayeredMap<ObjectState>,
): Iterable<string> {
  const differing = now instanceof LayeredMap && last instanceof LayeredMap ? now.differingFrom(last) : undefined;
  if (differing !== undefined) return differing;
  const keys: string[] = [];
  now.forEach((object, key) => {
    if (last === undefined || known.get(key)?.parsed.object !== object) keys.push(key);
  });
  known.forEach((_, key) => {
    if (now.get(key) === undefined) keys.push(key);
  });
  return keys;
}

interface SourceOptions {
  readonly key: string;
  readonly row: QuotaRow | undefined;
  readonly last: ParsedObject | undefined;
}

const NONE: readonly Finding[] = [];

interface ReadSourceOptions extends SourceOptions {
  readonly settings: WorldSettings;
  readonly failures: Failure[];
}

function readSource(object: WorldObject, { key, row, last, settings, failures }: ReadSourceOptions): ParsedObject {
  const { kind } = object;
  if (object.weight !== undefined) return parseWithoutContent(object, { key, row, last });
  let refusals: readonly Finding[];
  try {
    const read = readResource(kind, object, settings);
    // Most resources say everything themselves: parsing adds no default, and their content is kept once.
    if (read.ok)
      return { kind, key, object, resource: sharing(read.value, object), refusals: NONE, row, content: 'read' };
    refusals = read.error.map(fromIssue);
  } catch (error) {
    failures.push({ key: verdictKey(kind, key), error });
    refusals = [INTERNAL_ERROR];
  }
  const resource = last?.resource ?? fallbackOf(kind, key, settings);
  return { kind, key, object, resource, refusals, row, content: 'read' };
}

/**
 * The object is not parsed, unless an edit may revoke what it grants. What was parsed of it before is still served if the
 * namespace has an owner.
 */
function refuseSource(
  object: WorldObject,
  {
    key,
    row,
    last,
    broken,
    owned,
    revocable,
    read,
  }: SourceOptions & QuotaRefusal & { readonly read: () => ParsedObject },
): ParsedObject {
  const common = { kind: object.kind, key, object, row, content: 'refused' as const };
  if (!owned) return { ...common, resource: undefined, refusals: [noWorkspace(object.metadata.namespace)] };
  if (!revocable) return { ...common, resource: last?.resource, refusals: [overQuota(broken)] };
  const parsed = read();
  return { ...parsed, refusals: [overQuota(broken), ...parsed.refusals] };
}

/** An object without its content is unchanged, or its content has to be fetched. */
function parseWithoutContent(object: WorldObject, { key, row, last }: SourceOptions): ParsedObject {
  if (last?.content === 'read' && isSameContent(last.object, object)) return { ...last, object, row };
  const refusals = [pending([], 'the resource is being read')];
  return { kind: object.kind, key, object, resource: last?.resource, refusals, row, content: 'awaited' };
}

const isSameContent = (a: WorldObject, b: WorldObject): boolean =>
  a.metadata['uid'] === b.metadata['uid'] && a.metadata.generation === b.metadata.generation;

function readResource(
  kind: KindName,
  object: WorldObject,
  settings: WorldSettings,
): Result<ResourceOf<KindName>, readonly Issue[]> {
  // The status is output: an invalid one must not make the object invalid.
  const { status: _, ...wanted } = object;
  const parsed = parseResource(kind, wanted, { caps: settings.caps });
  if (!parsed.ok) return parsed;
  const issues = checksOf(kind, parsed.value, settings);
  return issues.length === 0 ? parsed : err(issues);
}

/** An Organisation that is invalid and was never valid gets the defaults. */
function fallbackOf(kind: KindName, key: string, settings: WorldSettings): ResourceOf<KindName> | undefined {
  if (kind !== 'Organisation' || key !== DEFAULT_ORGANISATION.metadata.name) return undefined;
  const implied = readResource(kind, DEFAULT_ORGANISATION, settings);
  return implied.ok ? implied.value : undefined;
}
