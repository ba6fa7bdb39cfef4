import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../lib/entry-bound.ts';
import type { BudgetStore } from './budget-store.ts';
import type { BudgetTotal } from './budgets.ts';
import { type Counter, syncCounter } from './counter.ts';

export interface MemoryBudgetStoreOptions {
  /** Unix time in ms. */
  readonly now?: () => number;
  /** Counters that are kept; the least used ones are dropped, which begins them anew. */
  readonly maxCounters?: number;
  /** What counters had reached when they were kept elsewhere. */
  readonly totals?: Iterable<BudgetTotal>;
  /** Called after each sync of a counter. */
  readonly onTotal?: (total: BudgetTotal) => void;
}

export const MAX_COUNTERS = 200_000;

/** Counters in the memory of this process. */
export function createMemoryBudgetStore(options: MemoryBudgetStoreOptions = {}): BudgetStore {
  const { now = Date.now, maxCounters = MAX_COUNTERS, totals = [], onTotal } = options;
  const counters = new LRUCache<string, Counter>(atMostEntries(maxCounters));
  for (const { id, periodStartMs, generation, used } of totals) {
    counters.set(id, { periodStartMs, generation, settled: used, seeded: 0, shares: new Map() });
  }
  return {
    sync: async (requests) =>
      requests.map((request) => {
        const reply = syncCounter(counters, request, now());
        if (reply.status !== 'done') return reply;
        const { periodStartMs, generation, total } = reply;
        onTotal?.({ id: request.id, periodStartMs, generation, used: total });
        return reply;
      }),
    close: async () => counters.clear(),
  };
}
