import {
  type KindRef,
  type KubeClient,
  type KubeObject,
  nameOf,
  namespaceOf,
  type ObjectKey,
  type ObjectName,
  resourceName,
} from '../client/index.ts';
import type { Log } from '../log.ts';
import { createStore, type Store, type StoreWriter } from '../store/index.ts';
import { type Clock, systemClock, untilAborted } from '../time/index.ts';
import { createAccessProbe } from './access-probe.ts';
import { createConcurrencyLimit } from './concurrency-limit.ts';
import { type Claimant, createFairQuota } from './fair-quota.ts';
import { createFollower, type Follower, type FollowerHealth } from './follower.ts';
import { initialGet } from './initial-reads.ts';
import { createNameAccess, type NameAccess } from './name-access.ts';
import type { FeedTiming } from './timing.ts';

export interface NamedWatchesOptions<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'get' | 'watch'>;
  readonly kind: KindRef<T>;
  readonly log: Log;
  /** Drops unused parts before the object is kept. Must keep the metadata. */
  readonly transform?: ((object: T) => T) | undefined;
  /**
   * Whether the right to watch a name exists; undefined, or absent: it cannot be determined, and denied names are just retried.
   */
  readonly isAllowed?: ((name: ObjectName, signal: AbortSignal) => Promise<boolean | undefined>) | undefined;
  /** Names watched at the same time. Default 4,000. */
  readonly maxNames?: number | undefined;
  readonly timing?: FeedTiming | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** Objects read one by one by name, without the right to list them. */
export interface NamedWatches<T extends KubeObject> {
  /** What is known of the wanted names. */
  readonly store: Store<T>;
  /**
   * Replaces the names that a claimant wants; a name is watched as long as one claimant wants it and has room for it in its share.
   */
  want(claimant: Claimant, keys: ReadonlySet<ObjectKey>): void;
  /** Whether it is known that the object exists, or that it does not. */
  isKnown(key: ObjectKey): boolean;
  /** Whether the API server refuses to show it: nothing is known of it until the right is granted, which is noticed. */
  isDenied(key: ObjectKey): boolean;
  /** Checks now whether a denied name may be read, instead of when its next check is due. */
  recheck(key: ObjectKey): void;
  /** Wanted names that are not watched, since too many are wanted. */
  readonly beyond: ReadonlySet<ObjectKey>;
  /**
   * Called when a name becomes known or denied or stops being so, and when it starts or stops being beyond the limit.
   */
  subscribe(listener: (key: ObjectKey) => void): Disposable;
  /** Watches what is wanted until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when everything that is wanted now is known, denied or no longer wanted; rejects with the signal's reason. */
  settled(signal: AbortSignal): Promise<void>;
  readonly size: number;
  /** The names that cannot be read. */
  failing(): readonly (FollowerHealth & { readonly key: ObjectKey })[];
}

export const MAX_WATCHED_NAMES = 4_000;
/** Gets and new watches at the same time: as many as an API server takes from one client without queueing. */
const OPENING_AT_ONCE = 10;

/** Get and watch by `metadata.name`, shared by all claimants of a name: no right to list is needed. */
export function createNamedWatches<T extends KubeObject>(options: NamedWatchesOptions<T>): NamedWatches<T> {
  const { transform, maxNames = MAX_WATCHED_NAMES } = options;
  const store = createStore<T>(transform === undefined ? {} : { transform });
  const quota = createFairQuota(maxNames);
  const beyond = new Set<ObjectKey>();
  const listeners = new Set<(key: ObjectKey) => void>();
  let onProgress = Promise.withResolvers<void>();

  const tell = (key: ObjectKey): void => {
    for (const listener of listeners) listener(key);
    onProgress.resolve();
    onProgress = Promise.withResolvers();
  };
  const watched = watchNames(options, { store, onChange: tell });
  const place = (key: ObjectKey): void => {
    const isAdmitted = quota.isAdmitted(key);
    const isBeyond = quota.isWanted(key) && !isAdmitted;
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
      for (const key of quota.replace(claimant, keys)) place(key);
      if (allFitted && beyond.size > 0) warn();
    },
    isKnown: watched.isKnown,
    isDenied: watched.isDenied,
    recheck: watched.recheck,
    subscribe: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
    run: watched.run,
    settled: async (signal) => {
      while (!watched.areSettled()) await untilAborted(onProgress.promise, signal);
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
  readonly onChange: (key: ObjectKey) => void;
}

/** One follower per name that is opened and may be read. */
function watchNames<T extends KubeObject>(options: NamedWatchesOptions<T>, sinks: NameSinks<T>) {
  const { isAllowed = async () => undefined, clock = systemClock } = options;
  const access = createNameAccess();
  const followed = followNames(options, { ...sinks, access, onDenied: (namespace) => probe.note(namespace) });
  const { watched } = followed;
  const probe = createAccessProbe({
    isAllowed: (key, signal) => isAllowed(nameOf(key), signal),
    byNamespace: access.byNamespace,
    retry: (namespace) => {
      for (const key of [...access.deniedIn(namespace)]) if (!watched.has(key)) followed.follow(key);
    },
    deny: followed.deny,
    clock,
  });
  return {
    open: (key: ObjectKey): void => {
      if (watched.has(key) || access.isDenied(key)) return;
      // Where nothing may be read, each further name would be one more refused call.
      if (access.isShut(namespaceOf(key))) access.put(key, 'denied');
      else followed.follow(key);
    },
    close: (key: ObjectKey): void => {
      followed.leave(key);
      access.remove(key);
    },
    run: async (signal: AbortSignal): Promise<void> => {
      followed.start(signal);
      await probe.run(signal);
      await followed.ended();
    },
    has: (key: ObjectKey): boolean => watched.has(key) || access.isDenied(key),
    isKnown: (key: ObjectKey): boolean => watched.get(key)?.known ?? false,
    isDenied: access.isDenied,
    recheck: (key: ObjectKey): void => {
      if (access.isDenied(key)) probe.recheck(namespaceOf(key));
    },
    areSettled: (): boolean => watched.entries().every(([key, { known }]) => known || access.isDenied(key)),
    get size() {
      return watched.size;
    },
    failing: () =>
      [...watched]
        .map(([key, { follower }]) => ({ key, ...follower.health() }))
        .filter(({ failure }) => failure !== undefined),
  };
}

interface FollowSinks<T extends KubeObject> extends NameSinks<T> {
  readonly access: NameAccess;
  readonly onDenied: (namespace: string) => void;
}

/** The followers; a name that is denied loses its follower and what was read of it. */
function followNames<T extends KubeObject>(
  options: NamedWatchesOptions<T>,
  { store, access, onChange, onDenied }: FollowSinks<T>,
) {
  const toFollower = createFollowers(options, store);
  const watched = new Map<ObjectKey, Watched>();
  const running = new Set<Promise<void>>();
  let life: AbortSignal | undefined;

  const start = ({ follower, stop }: Watched): void => {
    if (life === undefined) return;
    const run = follower.run(stop.signal).finally(() => running.delete(run));
    running.add(run);
  };
  const leave = (key: ObjectKey): void => {
    watched.get(key)?.stop.abort();
    watched.delete(key);
    store.evict(key);
  };
  const deny = (key: ObjectKey): void => {
    if (!watched.has(key)) return;
    leave(key);
    const namespace = namespaceOf(key);
    const isNews = !access.isDenied(key);
    const resource = resourceName(options.kind);
    if (access.deniedIn(namespace).size === 0) options.log.warn({ resource, namespace }, 'Reading is denied');
    access.put(key, 'denied');
    onDenied(namespace);
    if (isNews) onChange(key);
  };
  const follow = (key: ObjectKey): void => {
    const stop = new AbortController();
    const follower = toFollower(key, { signal: stop.signal, onDenied: () => deny(key) });
    const entry: Watched = { follower, stop, known: false };
    watched.set(key, entry);
    if (!access.isDenied(key)) access.put(key, 'watched'); // a retried name counts as denied until it has been read
    const onSynced = (): void => {
      if (stop.signal.aborted) return;
      entry.known = true;
      access.put(key, 'watched');
      onChange(key);
    };
    follower.synced.then(onSynced, () => {}); // it never rejects
    start(entry);
  };
  return {
    watched,
    follow,
    leave,
    deny,
    start: (signal: AbortSignal): void => {
      life = signal;
      for (const entry of watched.values()) start(entry);
    },
    ended: async (): Promise<void> => {
      for (const { stop } of watched.values()) stop.abort();
      await Promise.all(running);
    },
  };
}

interface FollowerLife {
  readonly signal: AbortSignal;
  readonly onDenied: () => void;
}

function createFollowers<T extends KubeObject>(options: NamedWatchesOptions<T>, store: StoreWriter<T>) {
  const { client, kind } = options;
  const limitOf = createConcurrencyLimit(OPENING_AT_ONCE);
  return (key: ObjectKey, { signal, onDenied }: FollowerLife): Follower => {
    const name = nameOf(key);
    // An answer may arrive after the name was closed.
    const put: StoreWriter<T>['put'] = (object, how) => (signal.aborted ? undefined : store.put(object, how));
    const guarded = { ...store, put };
    return createFollower({
      ...options,
      selection: { namespace: name.namespace, fieldSelector: `metadata.name=${name.name}` },
      store: guarded,
      onDenied,
      gate: limitOf(namespaceOf(key)),
      toInitialRead: (onRead) => initialGet({ client, kind, name, store: guarded, onRead }),
    });
  };
}
