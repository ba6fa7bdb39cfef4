import {
  type KindRef,
  type KubeClient,
  type KubeObject,
  nameOf,
  namespaceOf,
  type ObjectKey,
  resourceName,
} from '../client/index.ts';
import type { Log } from '../log.ts';
import { createStore, type Store, type StoreWriter } from '../store/index.ts';
import { aborted, type Clock, untilAborted } from '../time/index.ts';
import { createFollower, type Follower, type FollowerHealth } from './follower.ts';
import { createGate } from './gate.ts';
import { type Claimant, createShares } from './shares.ts';
import { getSnapshot } from './snapshots.ts';
import type { FeedTiming } from './timing.ts';

export interface NamedWatchesOptions<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'get' | 'watch'>;
  readonly kind: KindRef<T>;
  readonly log: Log;
  /** Drops what nobody needs before the object is kept. Must keep the metadata. */
  readonly transform?: ((object: T) => T) | undefined;
  /** Names watched at the same time. Default 4,000. */
  readonly maxNames?: number | undefined;
  readonly timing?: FeedTiming | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** Objects read one by one by name, with no right to list them. */
export interface NamedWatches<T extends KubeObject> {
  /** What is known of the wanted names. */
  readonly store: Store<T>;
  /** Replaces the names a claimant wants; a name is watched as long as anyone wants it and has room for it in his share. */
  want(claimant: Claimant, keys: ReadonlySet<ObjectKey>): void;
  /** Whether it is known that the object exists, or that it does not. */
  isKnown(key: ObjectKey): boolean;
  /** Wanted names that are not watched, since too many are wanted: nothing is known of them. */
  readonly beyond: ReadonlySet<ObjectKey>;
  /** Calls back when a name becomes known or is no longer, and when it comes to be beyond what is watched or back. */
  subscribe(listener: (key: ObjectKey) => void): Disposable;
  /** Watches what is wanted until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when everything that is wanted now is known or no longer wanted; rejects with the signal's reason. */
  settled(signal: AbortSignal): Promise<void>;
  readonly size: number;
  /** The names that cannot be read. */
  failing(): readonly (FollowerHealth & { readonly key: ObjectKey })[];
}

export const MAX_WATCHED_NAMES = 4_000;
/** Gets and new watches at the same time: as many as an API server takes from one client without queueing. */
const OPENING_AT_ONCE = 10;

/** Get and watch by `metadata.name`, shared by all who want the same name (DESIGN section 9, engineering 8.10). */
export function createNamedWatches<T extends KubeObject>(options: NamedWatchesOptions<T>): NamedWatches<T> {
  const { transform, maxNames = MAX_WATCHED_NAMES } = options;
  const store = createStore<T>(transform === undefined ? {} : { transform });
  const shares = createShares(maxNames);
  const beyond = new Set<ObjectKey>();
  const listeners = new Set<(key: ObjectKey) => void>();
  let onProgress = Promise.withResolvers<void>();

  const tell = (key: ObjectKey): void => {
    for (const listener of listeners) listener(key);
    onProgress.resolve();
    onProgress = Promise.withResolvers();
  };
  const watched = watchNames(options, { store, onKnown: tell });
  const place = (key: ObjectKey): void => {
    const isAdmitted = shares.isAdmitted(key);
    const isBeyond = shares.isWanted(key) && !isAdmitted;
    if (isAdmitted === watched.has(key) && isBeyond === beyond.has(key)) return;
    if (isAdmitted) watched.open(key);
    else watched.close(key);
    if (isBeyond) beyond.add(key);
    else beyond.delete(key);
    tell(key);
  };
  const warn = (): void => {
    const fields = { resource: resourceName(options.kind), maxNames, beyond: beyond.size };
    options.log.error(fields, 'Too many objects are wanted by name');
  };

  return {
    store,
    want: (claimant, keys) => {
      const allFitted = beyond.size === 0;
      for (const key of shares.replace(claimant, keys)) place(key);
      if (allFitted && beyond.size > 0) warn();
    },
    isKnown: watched.isKnown,
    subscribe: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
    run: watched.run,
    settled: async (signal) => {
      while (!watched.areKnown()) await untilAborted(onProgress.promise, signal);
    },
    beyond,
    get size() {
      return watched.size;
    },
    failing: watched.failing,
  };
}

interface Watched {
  readonly follower: Follower;
  readonly stop: AbortController;
  known: boolean;
}

interface NameSinks<T extends KubeObject> {
  readonly store: Store<T> & StoreWriter<T>;
  readonly onKnown: (key: ObjectKey) => void;
}

/** One follower per name, for those it is told to open. */
function watchNames<T extends KubeObject>(options: NamedWatchesOptions<T>, { store, onKnown }: NameSinks<T>) {
  const toFollower = createFollowers(options, store);
  const watched = new Map<ObjectKey, Watched>();
  const running = new Set<Promise<void>>();
  let life: AbortSignal | undefined;

  const start = ({ follower, stop }: Watched): void => {
    if (life === undefined) return;
    const run = follower.run(stop.signal).finally(() => running.delete(run));
    running.add(run);
  };
  return {
    open: (key: ObjectKey): void => {
      if (watched.has(key)) return;
      const stop = new AbortController();
      const entry: Watched = { follower: toFollower(key, stop.signal), stop, known: false };
      watched.set(key, entry);
      const onSynced = (): void => {
        if (stop.signal.aborted) return;
        entry.known = true;
        onKnown(key);
      };
      entry.follower.synced.then(onSynced, () => {}); // it never rejects
      start(entry);
    },
    close: (key: ObjectKey): void => {
      watched.get(key)?.stop.abort();
      watched.delete(key);
      store.evict(key);
    },
    run: async (signal: AbortSignal): Promise<void> => {
      life = signal;
      for (const entry of watched.values()) start(entry);
      await aborted(signal);
      for (const { stop } of watched.values()) stop.abort();
      await Promise.all(running);
    },
    has: (key: ObjectKey): boolean => watched.has(key),
    isKnown: (key: ObjectKey): boolean => watched.get(key)?.known ?? false,
    areKnown: (): boolean => watched.values().every(({ known }) => known),
    get size() {
      return watched.size;
    },
    failing: () =>
      [...watched]
        .map(([key, { follower }]) => ({ key, ...follower.health() }))
        .filter(({ failure }) => failure !== undefined),
  };
}

function createFollowers<T extends KubeObject>(options: NamedWatchesOptions<T>, store: StoreWriter<T>) {
  const { client, kind } = options;
  const gateOf = createGate(OPENING_AT_ONCE);
  return (key: ObjectKey, signal: AbortSignal): Follower => {
    const name = nameOf(key);
    // An answer may come in after its name has been given up.
    const put: StoreWriter<T>['put'] = (object, how) => (signal.aborted ? undefined : store.put(object, how));
    const guarded = { ...store, put };
    return createFollower({
      ...options,
      selection: { namespace: name.namespace, fieldSelector: `metadata.name=${name.name}` },
      store: guarded,
      gate: gateOf(namespaceOf(key)),
      toSnapshot: (onRead) => getSnapshot({ client, kind, name, store: guarded, onRead }),
    });
  };
}
