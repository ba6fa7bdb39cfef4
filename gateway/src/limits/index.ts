export { type Concurrency, createConcurrency } from './concurrency.ts';
export {
  type Demand,
  type Denial,
  type Limiter,
  type LimitUnit,
  type LimitWindow,
  type Reservation,
  type Verdict,
  WINDOW_MS,
} from './limiter.ts';
export { createMemoryLimiter, type MemoryLimiter, type MemoryLimiterOptions } from './memory.ts';
