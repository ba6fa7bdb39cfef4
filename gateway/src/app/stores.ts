/** The stores of the cache, sticky sessions and circuit breakers: Redis where it is configured, memory elsewhere. */
import {
  createMemoryCacheStore,
  createRedisCacheStore,
  createResponseCache,
  type ResponseCache,
} from '../cache/index.ts';
import { DEFAULTS, type GatewaySettings } from '../config/index.ts';
import type { CircuitBreakerPort } from '../pipeline/index.ts';
import {
  createMemoryCircuitStore,
  createMemoryStateStore,
  createRedisCircuitStore,
  createRedisConnection,
  createRedisStateStore,
  createStickySessions,
  createStoreBreaker,
  type StickySessions,
  type StoreBreaker,
} from '../store/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';

export interface Stores {
  readonly cache: ResponseCache;
  readonly sessions: StickySessions;
  readonly breakers: CircuitBreakerPort;
  close(): Promise<void>;
}

interface StoreOptions {
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Unix time in ms. */
  now(): number;
}

/** Redis where it is configured, memory elsewhere. Nothing waits for Redis: requests go on without it. */
export function createStores(settings: GatewaySettings, { metrics, logger, now }: StoreOptions): Stores {
  const redis = settings.redis === undefined ? undefined : createRedisConnection(settings.redis);
  redis?.onHealth((health) => logger.info({ health }, 'Redis connection changed'));
  redis?.connect();
  const storeBreaker = (store: string): StoreBreaker =>
    createStoreBreaker({ onError: () => metrics.storeErrors.add({ store }) });
  const cacheStore =
    redis !== undefined && settings.cache.store === 'redis'
      ? createRedisCacheStore(redis, { maxEntryBytes: DEFAULTS.cacheEntryBytes })
      : createMemoryCacheStore({
          now,
          maxBytes: settings.cache.memoryBytes,
          maxEntryBytes: DEFAULTS.cacheEntryBytes,
        });
  const states = redis === undefined ? createMemoryStateStore({ now }) : createRedisStateStore(redis);
  const circuits = redis === undefined ? createMemoryCircuitStore({ now }) : createRedisCircuitStore(redis, now);
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
