import {
  type KindRef,
  type KubeClient,
  type KubeObject,
  nameOf,
  type ObjectKey,
  resourceName,
} from '../client/index.ts';
import type { Log } from '../log.ts';
import { createStore, type Store, type StoreWriter } from '../store/index.ts';
import { aborted, type Clock, untilAborted } from '../time/index.ts';
import { createFollower, type Follower, type FollowerHealth } from './follower.ts';
import { createGate } from './gate.ts';
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
  /** Replaces the names an owner wants; a name is watched as long as anyone wants it. */
  want(owner: string, keys: ReadonlySet<ObjectKey>): void;
  /** Whether it is known that the object exists, or that it does not. */
  isKnown(key: ObjectKey): boolean;
  /** Wanted names that are not watched, since too many are: they count as absent. */
  readonly beyond: ReadonlySet<ObjectKey>;
  /** Watches what is wanted until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when everything that is wanted now is known or no longer wanted; rejects with the signal's reason. */
  settled(signal: AbortSignal): Promise<void>;
  readonly size: number;
  /** The names that cannot be read. */
  failing(): readonly (FollowerHealth & { readonly key: ObjectKey })[];
}

const MAX_NAMES = 4_000;
/** Gets and new watches at the same time: as many as an API server takes from one client without queueing. */
const OPENING_AT_ONCE = 10;

interface Watched {
  readonly follower: Follower;
  readonly stop: AbortController;
  known: boolean;
}

/** Get and watch by `metadata.name`, shared by all who want the same name (DESIGN section 9, engineering 8.10). */
export function createNamedWatches<T extends KubeObject>(options: NamedWatchesOptions<T>): NamedWatches<T> {
  const { transform, maxNames = MAX_NAMES } = options;
  const store = createStore<T>(transform === undefined ? {} : { transform });
  const toFollower = createFollowers(options, store);
  const watched = new Map<ObjectKey, Watched>();
  const excess = new Set<ObjectKey>();
  const running = new Set<Promise<void>>();
  let onProgress = Promise.withResolvers<void>();
  let life: AbortSignal | undefined;

  const start = ({ follower, stop }: Watched): void => {
    if (life === undefined) return;
    const run = follower.run(stop.signal).finally(() => running.delete(run));
    running.add(run);
  };
  const progress = (): void => {
    onProgress.resolve();
    onProgress = Promise.withResolvers();
  };
  const open = (key: ObjectKey): void => {
    if (watched.size >= maxNames) {
      if (excess.size === 0) {
        options.log.error({ resource: resourceName(options.kind), maxNames }, 'Too many objects are wanted by name');
      }
      excess.add(key);
      return;
    }
    const stop = new AbortController();
    const entry: Watched = { follower: toFollower(key, stop.signal), stop, known: false };
    watched.set(key, entry);
    const onKnown = (): void => {
      entry.known = true;
      progress();
    };
    entry.follower.synced.then(onKnown, () => {}); // it never rejects
    start(entry);
  };
  const close = (key: ObjectKey): void => {
    excess.delete(key);
    watched.get(key)?.stop.abort();
    watched.delete(key);
    store.evict(key);
    const [next] = excess;
    if (next !== undefined && watched.size < maxNames && excess.delete(next)) open(next);
    progress();
  };
  const wants = createWants({ onFirst: open, onLast: close });
  const unknown = (): boolean => watched.values().some(({ known }) => !known);

  return {
    store,
    want: wants.replace,
    isKnown: (key) => excess.has(key) || (watched.get(key)?.known ?? false),
    run: async (signal) => {
      life = signal;
      for (const entry of watched.values()) start(entry);
      await aborted(signal);
      for (const { stop } of watched.values()) stop.abort();
      await Promise.all(running);
    },
    settled: async (signal) => {
      while (unknown()) await untilAborted(onProgress.promise, signal);
    },
    beyond: excess,
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
  const gate = createGate(OPENING_AT_ONCE);
  return (key: ObjectKey, signal: AbortSignal): Follower => {
    const name = nameOf(key);
    // An answer may come in after its name has been given up.
    const put: StoreWriter<T>['put'] = (object, how) => (signal.aborted ? undefined : store.put(object, how));
    const guarded = { ...store, put };
    return createFollower({
      ...options,
      selection: { namespace: name.namespace, fieldSelector: `metadata.name=${name.name}` },
      store: guarded,
      gate,
      toSnapshot: (onRead) => getSnapshot({ client, kind, name, store: guarded, onRead }),
    });
  };
}

/** Who wants which keys; calls back for the first and the last one that wants a key. */
function createWants({ onFirst, onLast }: Record<'onFirst' | 'onLast', (key: ObjectKey) => void>) {
  const keysOfOwner = new Map<string, ReadonlySet<ObjectKey>>();
  const owners = new Map<ObjectKey, number>();
  const count = (key: ObjectKey, change: 1 | -1): number => {
    const next = (owners.get(key) ?? 0) + change;
    if (next === 0) owners.delete(key);
    else owners.set(key, next);
    return next;
  };
  return {
    replace: (owner: string, keys: ReadonlySet<ObjectKey>): void => {
      const before = keysOfOwner.get(owner) ?? new Set();
      if (keys.size === 0) keysOfOwner.delete(owner);
      else keysOfOwner.set(owner, new Set(keys));
      for (const key of keys.difference(before)) if (count(key, 1) === 1) onFirst(key);
      for (const key of before.difference(keys)) if (count(key, -1) === 0) onLast(key);
    },
  };
}
