import { apiVersionOf, type KindRef, type KubeObject, keyOf, type ObjectKey } from '../client/index.ts';
import type { Change, Store } from '../store/index.ts';

/** Which keys to process when something changes. */
export interface WatchRule {
  /** Calls back with keys for every change from now on, and for everything that exists. */
  subscribe(add: (keys: Iterable<ObjectKey>, change: { readonly initial: boolean }) => void): Disposable;
}

/**
 * Keys for the objects of a store. `keysOf` gets an object before and after a change, so that a former owner is processed, too.
 */
export function onChange<T extends KubeObject>(
  store: Pick<Store<T>, 'subscribe' | 'objects'>,
  keysOf: (object: T) => Iterable<ObjectKey>,
  matters: (change: Change<T>) => boolean = () => true,
): WatchRule {
  return {
    subscribe: (add) => {
      for (const object of store.objects.values()) add(keysOf(object), { initial: true });
      return store.subscribe((change) => {
        if (!matters(change)) return;
        if (change.previous !== undefined) add(keysOf(change.previous), change);
        if (change.object !== undefined) add(keysOf(change.object), change);
      });
    },
  };
}

/**
 * The objects themselves, when anything but their status changes: status writes of the operator must not trigger runs.
 */
export function onSelf<T extends KubeObject>(store: Pick<Store<T>, 'subscribe' | 'objects'>): WatchRule {
  return onChange(store, (object) => [keyOf(object.metadata)], changesMoreThanStatus);
}

/** The controlling owner of a changed object, if it is of the Kind. */
export function onOwned<T extends KubeObject>(
  store: Pick<Store<T>, 'subscribe' | 'objects'>,
  owner: KindRef,
): WatchRule {
  return onChange(store, ({ metadata }) => {
    const reference = metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (reference?.kind !== owner.kind || reference.apiVersion !== apiVersionOf(owner)) return [];
    return [keyOf({ namespace: owner.namespaced ? metadata.namespace : undefined, name: reference.name })];
  });
}

/** Keys from another source, such as named watches. */
export function onReported(
  teller: { subscribe(listener: (key: ObjectKey) => void): Disposable },
  keysOf: (key: ObjectKey) => Iterable<ObjectKey>,
): WatchRule {
  return { subscribe: (add) => teller.subscribe((key) => add(keysOf(key), { initial: false })) };
}

/** The objects that refer to a changed one: those that `index` of their store lists under its key. */
export function onReferenced<T extends KubeObject, U extends KubeObject, I extends string>(
  store: Pick<Store<T>, 'subscribe' | 'objects'>,
  referring: Pick<Store<U, I>, 'indexed'>,
  index: I,
): WatchRule {
  return onChange(store, ({ metadata }) => referring.indexed(index, keyOf(metadata)));
}

function changesMoreThanStatus<T extends KubeObject>({ object, previous }: Change<T>): boolean {
  if (object === undefined || previous === undefined) return true;
  return requestedState(object) !== requestedState(previous);
}

/**
 * What others can request of an object, as text. The generation counts changes of the spec; Kinds without a generation have no
 * status either.
 */
function requestedState({ metadata }: KubeObject): string {
  const { uid, generation, resourceVersion, deletionTimestamp, labels, annotations, finalizers } = metadata;
  return JSON.stringify([uid, generation ?? resourceVersion, deletionTimestamp, labels, annotations, finalizers]);
}
