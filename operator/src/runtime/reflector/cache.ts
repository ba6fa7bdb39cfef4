import { err, ok, type Result } from '@gatehouse/crds';
import type { KindRef, KubeClient, KubeObject } from '../client/index.ts';
import type { Log } from '../log.ts';
import { createStore, type Store, type StoreOptions, type StoreWriter } from '../store/index.ts';
import { type Clock, startDeadline, untilAborted } from '../time/index.ts';
import type { Follower, FollowerHealth } from './follower.ts';
import { createReflector } from './reflector.ts';
import type { FeedTiming } from './timing.ts';

export interface CacheOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  /** Where namespaced Kinds are watched; 'all' needs rights on the cluster, a list needs them in these namespaces. */
  readonly namespaces: 'all' | readonly string[];
  readonly log: Log;
  readonly timing?: FeedTiming;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export interface CacheWatchOptions<T extends KubeObject, I extends string> extends StoreOptions<T, I> {
  /** Overrides the namespaces of the cache. */
  readonly namespaces?: 'all' | readonly string[];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** A Kind that the server does not know has no objects, until it appears. */
  readonly optional?: boolean;
  readonly pageSize?: number;
  readonly maxPageSize?: number;
  /** All other Kinds are read after this one, since their objects are filtered by it. */
  readonly first?: boolean;
}

/** The stores of all watched Kinds. */
export interface Cache {
  /** Declares what to watch, before `run`. */
  watch<T extends KubeObject, I extends string = never>(
    kind: KindRef<T>,
    options?: CacheWatchOptions<T, I>,
  ): Store<T, I> & Pick<StoreWriter<T>, 'amend' | 'put'>;
  /** Watches until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Waits for the first complete state of every store. After the timeout: the health of incomplete ones, whose `failure` has
   * the reason, e.g. 403 for a missing right.
   */
  synced(options: {
    readonly signal: AbortSignal;
    readonly timeoutMs: number;
  }): Promise<Result<void, readonly FollowerHealth[]>>;
  health(): readonly FollowerHealth[];
}

/** One store per Kind, filled by one reflector per namespace. */
export function createCache(options: CacheOptions): Cache {
  const reflectors: Follower[] = [];
  const leading = new Set<Follower>();
  return {
    watch: (kind, given = {}) => {
      const {
        namespaces = options.namespaces,
        labelSelector,
        fieldSelector,
        optional,
        pageSize,
        maxPageSize,
        first,
      } = given;
      const store = createStore(given);
      for (const namespace of kind.namespaced && namespaces !== 'all' ? namespaces : [undefined]) {
        const selection = { namespace, labelSelector, fieldSelector };
        const reflector = createReflector({ ...options, kind, selection, store, optional, pageSize, maxPageSize });
        reflectors.push(reflector);
        if (first === true) leading.add(reflector);
      }
      return store;
    },
    run: async (signal) => {
      const others = reflectors.filter((reflector) => !leading.has(reflector));
      const started = Promise.all([...leading].map((reflector) => reflector.synced));
      await Promise.all([
        ...[...leading].map((reflector) => reflector.run(signal)),
        untilAborted(started, signal).then(
          () => Promise.all(others.map((reflector) => reflector.run(signal))),
          () => undefined,
        ),
      ]);
    },
    synced: async ({ signal, timeoutMs }) => {
      const timeUp = new Error('time is up');
      using deadline = startDeadline({ signal, timeoutMs, onTimeout: () => timeUp, clock: options.clock });
      const all = Promise.all(reflectors.map((reflector) => reflector.synced));
      try {
        await untilAborted(all, deadline.signal);
        return ok(undefined);
      } catch (error) {
        if (error !== timeUp) throw error;
        return err(reflectors.map((reflector) => reflector.health()).filter(({ synced }) => !synced));
      }
    },
    health: () => reflectors.map((reflector) => reflector.health()),
  };
}
