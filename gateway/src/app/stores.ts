/** The stores of budgets, the cache, sticky sessions and circuit breakers: Redis where it is configured, the shared state elsewhere. */
import { type Budgets, createBudgets, createRedisBudgetStore } from '../budgets/index.ts';
import { createRedisCacheStore, createResponseCache, type ResponseCache } from '../cache/index.ts';
import { DEFAULTS, type GatewaySettings } from '../config/index.ts';
import type { CircuitBreakerPort } from '../pipeline/index.ts';
import {
  createRedisCircuitStore,
  createRedisConnection,
  createRedisStateStore,
  createStickySessions,
  createStoreBreaker,
  type StickySessions,
  type StoreBreaker,
} from '../store/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import type { SharedState } from './shared-state.ts';

export interface Stores {
  readonly budgets: Budgets;
  readonly cache: ResponseCache;
  readonly sessions: StickySessions;
  readonly breakers: CircuitBreakerPort;
  close(): Promise<void>;
}

interface StoreOptions {
  /** Used where Redis is not configured. */
  readonly state: Pick<SharedState, 'budgetStore' | 'states' | 'circuits' | 'answers'>;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Unix time in ms. */
  now(): number;
}

/** How often counters of this machine are told what was spent, in ms: so much a process that is killed forgets. */
const LOCAL_FLUSH_MS = 1_000;

/** Nothing waits for Redis: requests go on without it. */
export function createStores(settings: GatewaySettings, { state, metrics, logger, now }: StoreOptions): Stores {
  const redis = settings.redis === undefined ? undefined : createRedisConnection(settings.redis);
  redis?.onHealth((health) => logger.info({ health }, 'Redis connection changed'));
  redis?.connect();
  const storeBreaker = (store: string): StoreBreaker =>
    createStoreBreaker({ onError: () => metrics.storeErrors.add({ store }) });
  const cacheStore =
    redis !== undefined && settings.cache.store === 'redis'
      ? createRedisCacheStore(redis, { maxEntryBytes: DEFAULTS.cacheEntryBytes })
      : state.answers;
  const states = redis === undefined ? state.states : createRedisStateStore(redis);
  const circuits = redis === undefined ? state.circuits : createRedisCircuitStore(redis, now);
  const budgets = createBudgets(
    redis === undefined
      ? { store: state.budgetStore, flushMs: LOCAL_FLUSH_MS }
      : { store: createRedisBudgetStore(redis), onStore: (isAvailable) => logBudgetStore(logger, isAvailable) },
  );
  metrics.observeBudgets(budgets.usage);
  const cache = createResponseCache({
    store: cacheStore,
    storeBreaker: storeBreaker('cache'),
    maxEntryBytes: DEFAULTS.cacheEntryBytes,
  });
  return {
    budgets,
    cache,
    sessions: createStickySessions({ states, storeBreaker: storeBreaker('sessions'), now }),
    breakers: { circuits, storeBreaker: storeBreaker('circuits') },
    close: async () => {
      await budgets.close();
      await cache.close();
      await redis?.close();
    },
  };
}

function logBudgetStore(logger: Logger, isAvailable: boolean): void {
  if (isAvailable) logger.info({}, 'Counters of budgets are shared again');
  else logger.warn({}, 'Counters of budgets could not be reached, this process decides alone');
}
