/**
 * The stores of limits, budgets, the cache, sticky sessions and circuit breakers: Redis where it is configured, the shared state elsewhere.
 * A sidecar counts limits and budgets in its fleet.
 */
import {
  BUDGET_SCRIPTS,
  type BudgetStore,
  type Budgets,
  createBudgets,
  createRedisBudgetStore,
} from '../budgets/index.ts';
import {
  createMemoryVectors,
  createPostgresVectors,
  createRedisCacheStore,
  createResponseCache,
  createSharedVectors,
  type ResponseCache,
  VECTOR_SCRIPTS,
  type VectorStore,
} from '../cache/index.ts';
import { DEFAULTS, type GatewaySettings } from '../config/index.ts';
import type { FleetCounters } from '../fleet-counters/index.ts';
import {
  createFailoverLimiter,
  createRedisLimiter,
  LIMIT_SCRIPTS,
  type Limiter,
  type SharedCounters,
} from '../limits/index.ts';
import type { CircuitBreakerPort } from '../pipeline/index.ts';
import {
  CIRCUIT_SCRIPTS,
  createRedisCircuitStore,
  createRedisConnection,
  createRedisStateStore,
  createRowMarks,
  createStickySessions,
  createStoreBreaker,
  followStoreId,
  type RedisConnection,
  type RedisSettings,
  type RowMarks,
  type StickySessions,
  type StoreBreaker,
} from '../store/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { createLimitsStatus, type LimitsStatus } from './limits-status.ts';
import type { SharedState } from './shared-state.ts';

export interface Stores {
  readonly limiter: Limiter;
  readonly limitsStatus: LimitsStatus;
  readonly budgets: Budgets;
  /** What the budgets are counted in. */
  readonly budgetStore: BudgetStore;
  readonly cache: ResponseCache;
  /** Of prompts of cached answers, where these are. */
  readonly vectors: VectorStore;
  readonly sessions: StickySessions;
  /** Of the output of batches of providers. */
  readonly rowMarks: RowMarks;
  readonly breakers: CircuitBreakerPort;
  /** To be called when a sidecar may have got or lost its fleet. */
  fleetChanged(): void;
  close(): Promise<void>;
}

interface StoreOptions {
  /** Used where Redis is not configured. */
  readonly state: Pick<SharedState, 'limiter' | 'budgetStore' | 'states' | 'circuits' | 'answers'>;
  /** On a sidecar: counters of its fleet. */
  readonly fleet?: FleetCounters | undefined;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Unix time in ms. */
  now(): number;
}

/** What counters run in Redis. */
const SCRIPTS = [...LIMIT_SCRIPTS, ...BUDGET_SCRIPTS, ...CIRCUIT_SCRIPTS];
/** How often counters of this machine are told what was spent, in ms: so much a process that is killed forgets. */
const LOCAL_FLUSH_MS = 1_000;

interface CacheOptions extends Pick<StoreOptions, 'state' | 'logger' | 'now'> {
  readonly redis: RedisConnection | undefined;
  storeBreaker(store: string): StoreBreaker;
}

function cacheOf(settings: GatewaySettings, options: CacheOptions) {
  const { state, storeBreaker, redis } = options;
  const maxEntryBytes = DEFAULTS.cacheEntryBytes;
  const store = redis === undefined ? state.answers : createRedisCacheStore(redis, { maxEntryBytes });
  const { vectors, close } = vectorsOf(settings, options);
  const cache = createResponseCache({ store, storeBreaker: storeBreaker('cache'), maxEntryBytes });
  return { cache, vectors, closeVectors: close };
}

/** Vectors are where the answers are, or in PostgreSQL where it can keep them. */
function vectorsOf(
  { cache: { vectorBytes: maxBytes, vectorDatabase: url }, ca }: GatewaySettings,
  { now, storeBreaker, redis, logger }: CacheOptions,
): { readonly vectors: VectorStore; close(): Promise<void> } {
  const memory = { now, maxBytes };
  const nearAnswers =
    redis === undefined
      ? createMemoryVectors(memory)
      : createSharedVectors({ ...memory, connection: redis, storeBreaker: storeBreaker('vectors') });
  if (url === undefined) return { vectors: nearAnswers, close: async () => undefined };
  const vectors = createPostgresVectors({
    ...{ url: url.reveal(), ca, now, otherwise: nearAnswers, storeBreaker: storeBreaker('vectors') },
    onState: (state) => {
      if (state === 'used') return logger.info({}, 'Vectors of prompts are kept in PostgreSQL');
      logger.warn(
        { reason: state.unused, err: state.cause },
        'Vectors of prompts could not be kept in PostgreSQL, and are kept with the answers',
      );
    },
  });
  return { vectors, close: vectors.close.bind(vectors) };
}

/** Nothing waits for Redis: requests go on without it. */
export function createStores(settings: GatewaySettings, options: StoreOptions): Stores {
  const { state, fleet, metrics, logger, now } = options;
  const redis = openRedis(settings.redis && { ...settings.redis, scripts: SCRIPTS }, 'counters', logger);
  // Of its own: large answers do not stand in the way of counters.
  const cacheRedis =
    settings.cache.store === 'redis'
      ? openRedis(settings.cacheRedis && { ...settings.cacheRedis, scripts: VECTOR_SCRIPTS }, 'cache', logger)
      : undefined;
  const storeId = redis === undefined ? undefined : followStoreId(redis, () => limitsStatus.tell());
  const isShared = (): boolean => fleet?.hasFleet() ?? true;
  const limitsStatus = createLimitsStatus(() =>
    limits !== undefined && isShared() ? { ...limits.state(), store: storeId?.current() } : undefined,
  );
  const shared = sharedCountersOf(settings, { redis, fleet, metrics });
  const limits =
    shared === undefined
      ? undefined
      : createSharedLimits(shared.limits, settings, {
          ...{ metrics, logger, now },
          onState: () => {
            limitsStatus.tell();
            reportShared();
          },
        });
  let areBudgetsShared = true; // until a call fails
  const reportShared = (): void => {
    if (limits === undefined) return;
    metrics.limitsShared.set(isShared() && limits.state().counted === 'shared' ? 1 : 0);
    metrics.budgetsShared.set(isShared() && areBudgetsShared ? 1 : 0);
  };
  reportShared();
  const storeBreaker = (store: string): StoreBreaker =>
    createStoreBreaker({ onError: () => metrics.storeErrors.add({ store }) });
  const states = redis === undefined ? state.states : createRedisStateStore(redis);
  const circuits = redis === undefined ? state.circuits : createRedisCircuitStore(redis, now);
  const budgetStore = shared?.budgets ?? state.budgetStore;
  const budgets =
    shared === undefined
      ? createBudgets({ store: budgetStore, flushMs: LOCAL_FLUSH_MS })
      : createSharedBudgets(budgetStore, settings, {
          ...{ metrics, logger },
          onStore: (isAvailable) => {
            areBudgetsShared = isAvailable;
            reportShared();
          },
        });
  metrics.observeBudgets(budgets.usage);
  const { cache, vectors, closeVectors } = cacheOf(settings, { state, now, logger, storeBreaker, redis: cacheRedis });
  const limiter = limits ?? state.limiter;
  return {
    limiter,
    limitsStatus,
    budgets,
    budgetStore,
    cache,
    vectors,
    sessions: createStickySessions({ states, storeBreaker: storeBreaker('sessions'), now }),
    rowMarks: createRowMarks({ states, storeBreaker: storeBreaker('batches') }),
    breakers: { circuits, storeBreaker: storeBreaker('circuits') },
    fleetChanged: reportShared,
    close: async () => {
      storeId?.close();
      await Promise.all([limiter.close(), budgets.close(), cache.close()]);
      await Promise.all([redis?.close(), cacheRedis?.close(), closeVectors()]);
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

/** Those of the fleet on a sidecar, else those in Redis; undefined: this process counts alone. */
function sharedCountersOf(
  { sharedLimits: { timeoutMs } }: GatewaySettings,
  { redis, fleet, metrics }: Pick<StoreOptions, 'fleet' | 'metrics'> & { readonly redis: RedisConnection | undefined },
): Pick<FleetCounters, 'limits' | 'budgets'> | undefined {
  if (fleet !== undefined || redis === undefined) return fleet;
  const onError = (): void => metrics.storeErrors.add({ store: 'limits' });
  return {
    limits: createRedisLimiter({ connection: redis, timeoutMs, onError }),
    budgets: createRedisBudgetStore(redis, { timeoutMs }),
  };
}

/** Limits are counted with all gateways that have the same counters, and by the failure policy while these are away. */
function createSharedLimits(
  shared: SharedCounters,
  { sharedLimits: { failurePolicy: policy } }: GatewaySettings,
  { metrics, logger, now, onState }: Omit<StoreOptions, 'state'> & { onState(): void },
) {
  const onError = (): void => metrics.storeErrors.add({ store: 'limits' });
  return createFailoverLimiter({
    shared,
    policy,
    now,
    onError,
    onState: (state) => {
      onState();
      if (state.counted === 'shared') logger.info({}, 'Limits are counted together with other gateways again');
      else logger.warn({ reason: state.reason, policy }, 'Shared counters of limits could not be used');
    },
  });
}

/** How many gateways share a budget, for one that could not ask its counters since it started. */
const ASSUMED_GATEWAYS = 8;

/** Budgets are counted with all gateways that have the same counters, and by the failure policy while these are away. */
function createSharedBudgets(
  store: BudgetStore,
  { sharedLimits: { failurePolicy } }: GatewaySettings,
  { metrics, logger, onStore }: Pick<StoreOptions, 'metrics' | 'logger'> & { onStore(isAvailable: boolean): void },
): Budgets {
  return createBudgets({
    store,
    storeFailurePolicy: failurePolicy,
    processes: ASSUMED_GATEWAYS,
    onStore: (isAvailable) => {
      onStore(isAvailable);
      if (isAvailable) return logger.info({}, 'Budgets are counted together with other gateways again');
      metrics.storeErrors.add({ store: 'budgets' });
      logger.warn({ policy: failurePolicy }, 'Shared counters of budgets could not be used');
    },
  });
}
