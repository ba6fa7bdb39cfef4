/** The stores of the cache, sticky sessions and circuit breakers: Redis where it is configured, the shared state elsewhere. */
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
  readonly cache: ResponseCache;
  readonly sessions: StickySessions;
  readonly breakers: CircuitBreakerPort;
  close(): Promise<void>;
}

interface StoreOptions {
  /** Used where Redis is not configured. */
  readonly state: Pick<SharedState, 'states' | 'circuits' | 'answers'>;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Unix time in ms. */
  now(): number;
}

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
  const cache = createResponseCache({
    store: cacheStore,
    storeBreaker: storeBreaker('cache'),
    maxEntryBytes: DEFAULTS.cacheEntryBytes,
  });
  return {
    cache,
    sessions: createStickySessions({ states, storeBreaker: storeBreaker('sessions'), now }),
    breakers: { circuits, storeBreaker: storeBreaker('circuits') },
    close: async () => {
      await cache.close();
      await redis?.close();
    },
  };
}
