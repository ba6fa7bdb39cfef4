/** All objects of our Kinds, kept up to date by watches: reads cost no call and no copy, however many objects there are. */
import { KINDS, type KindName } from '@gatehouse/crds/kinds';
import {
  type Cache,
  type Clock,
  keyOf,
  type ObjectKey,
  type Store,
  sleep,
  systemClock,
} from '../../../runtime/index.ts';
import { type CustomObject, kindRefOf } from '../../../world/index.ts';
import type { OutsideWrite } from '../outside-write.ts';
import type { Place, StoredObject } from '../port.ts';
import { OrderedList } from './ordered-list.ts';
import { outsideWrites } from './outside-writes.ts';
import { isBeingDeleted, type ParseOptions, readObject, toStored } from './stored-object.ts';

export interface KeptObjects {
  get<K extends KindName>(place: Place<K>): StoredObject<K> | undefined;
  /** In the order of their creation; the same array until something in it changes. */
  list<K extends KindName>(kind: K, namespace?: string): readonly StoredObject<K>[];
  find<K extends KindName>(kind: K, uid: string): StoredObject<K> | undefined;
  /** Follows one object, so that a write of it can be waited for. */
  follow(place: Place): Followed;
  /** Since an object went or its spec changed, so that it may have given up its references. */
  msSinceChange(): number;
}

export interface Followed extends Disposable {
  /** Resolves once the object with this version, or for undefined its absence, has been read; after 2 s in any case. */
  untilRead(version: string | undefined): Promise<void>;
}

/** With the largest possible objects the API server answers with 225 MiB. */
const PAGE_SIZE = 150;
/** As long as they are as small as most. */
const MAX_PAGE_SIZE = 1_500;
/** A watch that is slower is about to be started again. */
const MAX_WAIT_MS = 2_000;

export interface KeepOptions {
  readonly kinds: readonly KindName[];
  readonly parse?: ParseOptions;
  readonly clock?: Clock | undefined;
  readonly onChange?: ObjectListener | undefined;
}

/** Told of what watches read. */
export interface ObjectListener {
  changed(object: StoredObject): void;
  gone(kind: KindName, uid: string): void;
  /** `isFirst`: of what was there when the watch began. */
  writtenOutside?(write: OutsideWrite, isFirst: boolean): void;
}

/** Declares the watches of the Kinds; the objects are there when the cache is complete. */
export function keepObjects(
  cache: Pick<Cache, 'watch'>,
  { kinds, parse, onChange, clock = systemClock }: KeepOptions,
): KeptObjects {
  const kept = new Map<KindName, KeptKind>();
  let changedAtMs = Number.NEGATIVE_INFINITY;
  for (const kind of kinds) {
    const store = cache.watch(kindRefOf(kind), {
      pageSize: PAGE_SIZE,
      maxPageSize: MAX_PAGE_SIZE,
      transform: (object) => readObject(kind, object, parse),
    });
    kept.set(kind, keepKind(kind, store, clock));
    store.subscribe(({ object, previous }) => {
      if (mayFreeOthers(previous, object)) changedAtMs = clock.monotonicMs();
    });
    if (onChange !== undefined) tell(kind, store, onChange);
  }
  const of = (kind: KindName): KeptKind => {
    const found = kept.get(kind);
    if (found === undefined) throw new TypeError(`${kind} is not watched`);
    return found;
  };
  // What is kept under a Kind is of that Kind.
  return {
    get: <K extends KindName>(place: Place<K>) => of(place.kind).get(keyOfPlace(place)) as StoredObject<K> | undefined,
    list: <K extends KindName>(kind: K, namespace?: string) =>
      of(kind).list(namespace) as unknown as readonly StoredObject<K>[],
    find: <K extends KindName>(kind: K, uid: string) => of(kind).find(uid) as StoredObject<K> | undefined,
    follow: (place) => of(place.kind).follow(keyOfPlace(place)),
    msSinceChange: () => clock.monotonicMs() - changedAtMs,
  };
}

const mayFreeOthers = (before: CustomObject | undefined, after: CustomObject | undefined): boolean =>
  before !== undefined &&
  (after === undefined ||
    isBeingDeleted(after.metadata) ||
    after.metadata.uid !== before.metadata.uid ||
    after.metadata.generation !== before.metadata.generation);

const keyOfPlace = ({ kind, namespace, name }: Place): ObjectKey =>
  keyOf({ name, namespace: KINDS[kind].scope === 'Cluster' ? undefined : namespace });

interface KeptKind {
  get(key: ObjectKey): StoredObject | undefined;
  list(namespace: string | undefined): readonly StoredObject[];
  find(uid: string): StoredObject | undefined;
  follow(key: ObjectKey): Followed;
}

/** Times are whole seconds; the names make the order definite. */
const orderOf = ({ meta: { createdAt, namespace = '', name } }: StoredObject): string =>
  `${createdAt} ${name} ${namespace}`;

const NONE: readonly StoredObject[] = [];

function keepKind(kind: KindName, store: Store<CustomObject>, clock: Clock): KeptKind {
  const objects = createIndexes();
  store.subscribe(({ key, object }) => objects.set(key, object && toStored(kind, object)));
  return { ...objects, follow: (key) => followKey(store, key, clock) };
}

/** An object that has not the schema of its Kind any more is not gone. */
function tell(kind: KindName, store: Store<CustomObject>, { changed, gone, writtenOutside }: ObjectListener): void {
  store.subscribe(({ object, previous, initial }) => {
    if (writtenOutside !== undefined)
      for (const write of outsideWrites(kind, previous, object)) writtenOutside(write, initial);
    const before = previous?.metadata.uid;
    const isThere = object !== undefined && object.metadata.uid === before && !isBeingDeleted(object.metadata);
    if (before !== undefined && !isThere) gone(kind, before);
    const stored = object && toStored(kind, object);
    if (stored !== undefined) changed(stored);
  });
}

function createIndexes(): Omit<KeptKind, 'follow'> & { set(key: ObjectKey, after: StoredObject | undefined): void } {
  const byKey = new Map<ObjectKey, StoredObject>();
  const byUid = new Map<string, StoredObject>();
  const all = new OrderedList(orderOf);
  const byNamespace = new Map<string, OrderedList<StoredObject>>();
  const listsOf = ({ meta: { namespace = '' } }: StoredObject): readonly OrderedList<StoredObject>[] => {
    const own = byNamespace.get(namespace) ?? new OrderedList(orderOf);
    byNamespace.set(namespace, own);
    return [all, own];
  };
  const add = (key: ObjectKey, object: StoredObject): void => {
    byKey.set(key, object);
    byUid.set(object.meta.uid, object);
    for (const list of listsOf(object)) list.add(object);
  };
  const drop = (key: ObjectKey, object: StoredObject): void => {
    byKey.delete(key);
    byUid.delete(object.meta.uid);
    for (const list of listsOf(object)) list.remove(object);
    const { namespace = '' } = object.meta;
    if (byNamespace.get(namespace)?.size === 0) byNamespace.delete(namespace);
  };
  const replace = (key: ObjectKey, before: StoredObject, after: StoredObject): void => {
    byKey.set(key, after);
    byUid.set(after.meta.uid, after);
    for (const list of listsOf(after)) list.replace(before, after);
  };
  return {
    get: (key) => byKey.get(key),
    list: (namespace) => (namespace === undefined ? all.items : (byNamespace.get(namespace)?.items ?? NONE)),
    find: (uid) => byUid.get(uid),
    set: (key, after) => {
      const before = byKey.get(key);
      if (before !== undefined && before.meta.uid === after?.meta.uid) {
        replace(key, before, after);
        return;
      }
      if (before !== undefined) drop(key, before);
      if (after !== undefined) add(key, after);
    },
  };
}

/** The version of an object that is not there. */
const GONE = '';

function followKey(store: Store<CustomObject>, key: ObjectKey, clock: Clock): Followed {
  const versionOf = (object: CustomObject | undefined): string =>
    object === undefined || isBeingDeleted(object.metadata) ? GONE : (object.metadata.resourceVersion ?? GONE);
  const seen = new Set([versionOf(store.get(key))]);
  let awaited: { readonly version: string; readonly resolve: () => void } | undefined;
  const subscription = store.subscribe((change) => {
    if (change.key !== key) return;
    const version = versionOf(change.object);
    seen.add(version);
    if (version === awaited?.version) awaited.resolve();
  });
  return {
    untilRead: async (version = GONE) => {
      if (version === GONE ? versionOf(store.get(key)) === GONE : seen.has(version)) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      awaited = { version, resolve };
      const stop = new AbortController();
      const timeUp = sleep(MAX_WAIT_MS, { signal: stop.signal, clock }).catch(() => undefined); // read in time
      await Promise.race([promise, timeUp]);
      stop.abort();
    },
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  };
}
