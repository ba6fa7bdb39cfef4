/** The stores of limits, budgets, the cache, sticky sessions and circuit breakers: Redis where it is configured, the shared state elsewhere. */
import { type Budgets, createBudgets, createRedisBudgetStore } from '../budgets/index.ts';
import { createRedisCacheStore, createResponseCache, type ResponseCache } from '../cache/index.ts';
import { DEFAULTS, type GatewaySettings } from '../config/index.ts';
import { createFailoverLimiter, createRedisLimiter, type Limiter, type LimitsState } from '../limits/index.ts';
import type { CircuitBreakerPort } from '../pipeline/index.ts';
import {
  createRedisCircuitStore,
  createRedisConnection,
  createRedisStateStore,
  createStickySessions,
  createStoreBreaker,
  type RedisConnection,
  type RedisSettings,
  type StickySessions,
  type StoreBreaker,
} from '../store/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import type { SharedState } from './shared-state.ts';

export interface Stores {
  readonly limiter: Limiter;
  /** Undefined where limits are counted by this machine alone, by intent. */
  limitsState(): LimitsState | undefined;
  readonly budgets: Budgets;
  readonly cache: ResponseCache;
  readonly sessions: StickySessions;
  readonly breakers: CircuitBreakerPort;
  close(): Promise<void>;
}

interface StoreOptions {
  /** Used where Redis is not configured. */
  readonly state: Pick<SharedState, 'limiter' | 'budgetStore' | 'states' | 'circuits' | 'answers'>;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Unix time in ms. */
  now(): number;
}

/** How often counters of this machine are told what was spent, in ms: so much a process that is killed forgets. */
const LOCAL_FLUSH_MS = 1_000;

/** Nothing waits for Redis: requests go on without it. */
export function createStores(settings: GatewaySettings, { state, metrics, logger, now }: StoreOptions): Stores {
  const redis = openRedis(settings.redis, 'counters', logger);
  // Of its own: large answers do not stand in the way of counters.
  const cacheRedis = settings.cache.store === 'redis' ? openRedis(settings.cacheRedis, 'cache', logger) : undefined;
  const limits = redis === undefined ? undefined : createSharedLimits(redis, settings, { metrics, logger, now });
  const storeBreaker = (store: string): StoreBreaker =>
    createStoreBreaker({ onError: () => metrics.storeErrors.add({ store }) });
  const cacheStore =
    cacheRedis === undefined
      ? state.answers
      : createRedisCacheStore(cacheRedis, { maxEntryBytes: DEFAULTS.cacheEntryBytes });
  const states = redis === undefined ? state.states : createRedisStateStore(redis);
  const circuits = redis === undefined ? state.circuits : createRedisCircuitStore(redis, now);
  const budgets =
    redis === undefined
      ? createBudgets({ store: state.budgetStore, flushMs: LOCAL_FLUSH_MS })
      : createSharedBudgets(redis, settings, { metrics, logger });
  metrics.observeBudgets(budgets.usage);
  const cache = createResponseCache({
    store: cacheStore,
    storeBreaker: storeBreaker('cache'),
    maxEntryBytes: DEFAULTS.cacheEntryBytes,
  });
  const limiter = limits ?? state.limiter;
  return {
    limiter,
    limitsState: () => limits?.state(),
    budgets,
    cache,
    sessions: createStickySessions({ states, storeBreaker: storeBreaker('sessions'), now }),
    breakers: { circuits, storeBreaker: storeBreaker('circuits') },
    close: async () => {
      await Promise.all([limiter.close(), budgets.close(), cache.close()]);
      await Promise.all([redis?.close(), cacheRedis?.close()]);
    },
  };
}

function openRedis(
  settings: RedisSettings | undefined,
  purpose: 'counters' | 'cache',
  logger: Logger,
): RedisConnection | undefined {
  if (settings === undefined) return undefined;
  const connection = createRedisConnection(settings);
  connection.onHealth((health) => logger.info({ health, purpose }, 'Redis connection changed'));
  connection.connect();
  return connection;
}

/** Limits are counted with all gateways that use the same Redis, and by the failure policy while it is away. */
function createSharedLimits(
  connection: RedisConnection,
  { sharedLimits: { failurePolicy: policy, timeoutMs } }: GatewaySettings,
  { metrics, logger, now }: Omit<StoreOptions, 'state'>,
) {
  const onError = (): void => metrics.storeErrors.add({ store: 'limits' });
  const limiter = createFailoverLimiter({
    shared: createRedisLimiter({ connection, timeoutMs, onError }),
    policy,
    now,
    onError,
    onState: (state) => {
      metrics.limitsShared.set(state.counted === 'shared' ? 1 : 0);
      if (state.counted === 'shared') logger.info({}, 'Limits are counted together with other gateways again');
      else logger.warn({ reason: state.reason, policy }, 'Shared counters of limits could not be used');
    },
  });
  metrics.limitsShared.set(limiter.state().counted === 'shared' ? 1 : 0);
  return limiter;
}

/** How many gateways share a budget, for one that could not ask Redis since it started. */
const ASSUMED_GATEWAYS = 8;

/** Budgets are counted with all gateways that use the same Redis, and by the failure policy while it is away. */
function createSharedBudgets(
  connection: RedisConnection,
  { sharedLimits: { failurePolicy, timeoutMs } }: GatewaySettings,
  { metrics, logger }: Pick<StoreOptions, 'metrics' | 'logger'>,
): Budgets {
  return createBudgets({
    store: createRedisBudgetStore(connection, { timeoutMs }),
    storeFailurePolicy: failurePolicy,
    processes: ASSUMED_GATEWAYS,
    onStore: (isAvailable) => {
      if (isAvailable) return logger.info({}, 'Budgets are counted together with other gateways again');
      metrics.storeErrors.add({ store: 'budgets' });
      logger.warn({ policy: failurePolicy }, 'Shared counters of budgets could not be used');
    },
  });
}
