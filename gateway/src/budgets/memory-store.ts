import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../lib/entry-bound.ts';
import type { BudgetStore } from './budget-store.ts';
import { type Counter, syncCounter } from './counter.ts';

export interface MemoryBudgetStoreOptions {
  /** Unix time in ms. */
  readonly now?: () => number;
  /** Counters that are kept; the least used ones are dropped, which begins them anew. */
  readonly maxCounters?: number;
}

const MAX_COUNTERS = 200_000;

/** Counters of this process alone. */
export function createMemoryBudgetStore(options: MemoryBudgetStoreOptions = {}): BudgetStore {
  const { now = Date.now, maxCounters = MAX_COUNTERS } = options;
  const counters = new LRUCache<string, Counter>(atMostEntries(maxCounters));
  return {
    sync: async (requests) => requests.map((request) => syncCounter(counters, request, now())),
    close: async () => counters.clear(),
  };
}
