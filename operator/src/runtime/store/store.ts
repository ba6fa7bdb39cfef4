import { type KubeObject, keyOf, namespaceOf, type ObjectKey } from '../client/index.ts';
import { deepFreeze } from './freeze.ts';
import { createIndex, type Index, type IndexFunction } from './store-index.ts';

/** A change of one object. Without `object` it was deleted, without `previous` it is new. */
export interface Change<T extends KubeObject> {
  readonly key: ObjectKey;
  readonly object: T | undefined;
  readonly previous: T | undefined;
  /** It came with the first list after the start and may be old. */
  readonly initial: boolean;
}

export type Listener<T extends KubeObject> = (change: Change<T>) => void;

/** Frozen copies of the objects of one Kind. An object that has not changed stays the same object. */
export interface Store<T extends KubeObject, I extends string = never> {
  get(key: ObjectKey): T | undefined;
  readonly size: number;
  /** All objects, live: the Map changes with the cluster. */
  readonly objects: ReadonlyMap<ObjectKey, T>;
  /** The keys of the objects for which an index function returned the value. */
  indexed(index: I, value: string): ReadonlySet<ObjectKey>;
  /** Called for every later change, in order, after the store has it. A listener should not throw. */
  subscribe(listener: Listener<T>): Disposable;
}

/** The writing side of a store, for its reflectors. */
export interface StoreWriter<T extends KubeObject> {
  /** Stores an object unless it has this version already. */
  put(object: T, options: { readonly initial: boolean }): void;
  remove(key: ObjectKey): void;
  /** Drops an object without an event. */
  evict(key: ObjectKey): void;
  /** Replaces an object by a smaller or larger form of the same version; without `notify` there is no event. */
  amend(object: T, options: { readonly notify: boolean }): void;
  /** The keys of a namespace, or all keys. */
  keys(namespace: string | undefined): Iterable<ObjectKey>;
}

export interface StoreOptions<T extends KubeObject, I extends string> {
  /** Values under which an object is indexed; computed once per version of an object. */
  readonly indexes?: Readonly<Record<I, IndexFunction<T>>>;
  /** Drops unused parts before the object is kept; `kept` is the previous form. Must keep the metadata. */
  readonly transform?: (object: T, kept: T | undefined) => T;
}

/** An empty store, with its writing side. */
export function createStore<T extends KubeObject, I extends string = never>(
  options: StoreOptions<T, I> = {},
): Store<T, I> & StoreWriter<T> {
  const { transform = (object: T) => object } = options;
  const objects = new Map<ObjectKey, T>();
  const listeners = new Set<Listener<T>>();
  const indexes = new Map<string, Index<T>>();
  for (const [name, valuesOf] of Object.entries<IndexFunction<T>>(options.indexes ?? {})) {
    indexes.set(name, createIndex(valuesOf));
  }

  const replace = (key: ObjectKey, object: T | undefined): T | undefined => {
    const previous = objects.get(key);
    if (object === undefined) objects.delete(key);
    else objects.set(key, object);
    for (const index of indexes.values()) index.update(key, previous, object);
    return previous;
  };
  const notifyListeners = (change: Change<T>): void => {
    const errors: unknown[] = [];
    for (const listener of listeners) {
      try {
        listener(change);
      } catch (error) {
        errors.push(error); // the other listeners still get the change
      }
    }
    if (errors.length > 0) throw errors[0];
  };

  return {
    objects,
    get: (key) => objects.get(key),
    get size() {
      return objects.size;
    },
    indexed: (index, value) => indexes.get(index)?.keys(value) ?? new Set(),
    subscribe: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
    put: (given, { initial }) => {
      const key = keyOf(given.metadata);
      if (isSameVersion(objects.get(key), given)) return;
      const object = deepFreeze(transform(withoutManagedFields(given), objects.get(key)));
      const previous = replace(key, object);
      notifyListeners({ key, object, previous, initial });
    },
    remove: (key) => {
      const previous = replace(key, undefined);
      if (previous !== undefined) notifyListeners({ key, object: undefined, previous, initial: false });
    },
    evict: (key) => {
      replace(key, undefined);
    },
    amend: (given, { notify }) => {
      const key = keyOf(given.metadata);
      if (!isSameVersion(objects.get(key), given)) return;
      const object = deepFreeze(given);
      const previous = replace(key, object);
      if (notify) notifyListeners({ key, object, previous, initial: false });
    },
    keys: (namespace) => (namespace === undefined ? objects.keys() : keysWithin(objects, namespace)),
  };
}

const isSameVersion = (kept: KubeObject | undefined, given: KubeObject): boolean =>
  kept !== undefined &&
  kept.metadata.uid === given.metadata.uid &&
  kept.metadata.resourceVersion === given.metadata.resourceVersion;

/** Managed fields are half the size of an object and not used. */
function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (!Object.hasOwn(object.metadata, 'managedFields')) return object;
  const { managedFields, ...metadata } = object.metadata as T['metadata'] & { managedFields: unknown }; // checked above
  return { ...object, metadata };
}

function* keysWithin(objects: ReadonlyMap<ObjectKey, unknown>, namespace: string): Iterable<ObjectKey> {
  for (const key of objects.keys()) if (namespaceOf(key) === namespace) yield key;
}
