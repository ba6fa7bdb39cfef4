export type { LimitsState, StoreFailurePolicy } from './availability.ts';
export { type Concurrency, createConcurrency, type Leave, type MemoryConcurrency } from './concurrency.ts';
export { DemandList } from './demand-list.ts';
export { createFailoverLimiter, type FailoverLimiter, type SharedCounters } from './failover.ts';
export {
  type Change,
  type CounterName,
  type Demand,
  type Denial,
  type LimitDecision,
  type Limiter,
  type LimitUnit,
  type LimitWindow,
  type Reservation,
  WINDOW_MS,
  type WindowState,
} from './limiter.ts';
export { createMemoryLimiter, type MemoryLimiter, type MemoryLimiterOptions } from './memory.ts';
export { createRedisLimiter, LIMIT_SCRIPTS, type RedisLimiter, type RedisLimiterOptions } from './redis/index.ts';
