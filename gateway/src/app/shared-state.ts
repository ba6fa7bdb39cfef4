/** What all requests count and remember together, whichever process serves them. */
import { type BudgetStore, createMemoryBudgetStore } from '../budgets/index.ts';
import { type CacheStore, createMemoryCacheStore } from '../cache/index.ts';
import { DEFAULTS, type GatewaySettings } from '../config/index.ts';
import { type Concurrency, createConcurrency, createMemoryLimiter, type Limiter } from '../limits/index.ts';
import {
  type CircuitStore,
  createMemoryCircuitStore,
  createMemoryStateStore,
  type StateStore,
} from '../store/index.ts';

export interface SharedState {
  readonly limiter: Limiter;
  /** Counters of budgets; not used where Redis is configured. */
  readonly budgetStore: BudgetStore;
  /** Requests in flight, by key. */
  readonly concurrency: Concurrency;
  /** Sticky sessions; not used where Redis is configured. */
  readonly states: StateStore;
  /** Not used where Redis is configured. */
  readonly circuits: CircuitStore;
  /** Cached answers; not used where they are kept in Redis. */
  readonly answers: CacheStore;
}

/** State in the memory of this process. `now`: Unix time in ms. */
export function createMemoryState(settings: GatewaySettings, now: () => number = Date.now): SharedState {
  return {
    limiter: createMemoryLimiter(),
    budgetStore: createMemoryBudgetStore({ now }),
    concurrency: createConcurrency(settings.limits.maxConcurrentPerKey),
    states: createMemoryStateStore({ now }),
    circuits: createMemoryCircuitStore({ now }),
    answers: createMemoryCacheStore({
      now,
      maxBytes: settings.cache.memoryBytes,
      maxEntryBytes: DEFAULTS.cacheEntryBytes,
    }),
  };
}
