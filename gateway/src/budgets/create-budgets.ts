import { newId } from '../lib/random.ts';
import type { BudgetStore } from './budget-store.ts';
import type { Budgets, BudgetUsage } from './budgets.ts';
import { Ledger } from './ledger.ts';

export interface BudgetsOptions {
  /** Closed with the budgets. */
  readonly store: BudgetStore;
  /** While the store is away: docs/guide/limits-and-budgets.md. */
  readonly storeFailurePolicy?: 'open' | 'closed';
  /** Processes that share the budgets, as long as the store has not said how many. */
  readonly processes?: number;
  /** How often the store is told what was spent, in ms. */
  readonly flushMs?: number;
  /** How long the store keeps the part of a process that has crashed, in ms. */
  readonly leaseMs?: number;
  /** Budgets and groups of policies that are remembered. */
  readonly maxAccounts?: number;
  /** Monotonic time in ms. */
  readonly now?: () => number;
  /** After a change: whether the store answers. */
  readonly onStore?: (isAvailable: boolean) => void;
}

const DEFAULTS = {
  storeFailurePolicy: 'open',
  processes: 1,
  flushMs: 10_000,
  leaseMs: 30_000,
  maxAccounts: 200_000,
  now: () => performance.now(),
} as const;
/** Pause before a store that was away is tried again, in ms. */
const RETRY_MS = 1_000;
/** How long returns to others wait for further ones, in ms. */
const URGENT_MS = 50;

/** Budgets of this process over counters that it shares with others. */
export function createBudgets(options: BudgetsOptions): Budgets {
  const { store, flushMs, onStore = () => undefined, ...settings } = { ...DEFAULTS, ...options };
  const listeners: ((usage: BudgetUsage) => void)[] = [];
  let isAvailable = true;
  let urgent: NodeJS.Timeout | undefined;
  const ledger = new Ledger({
    ...settings,
    store,
    holder: newId('', 16),
    onChange: (usage) => {
      for (const listener of listeners) listener(usage);
    },
    onStore: (now) => {
      if (now !== isAvailable) onStore(now);
      isAvailable = now;
    },
    onUrgent: () => {
      urgent ??= setTimeout(() => {
        urgent = undefined;
        void ledger.flushUrgent();
      }, URGENT_MS).unref();
    },
  });
  const flushing = setInterval(() => void ledger.flush(), flushMs).unref();
  const retrying = setInterval(() => void ledger.retry(), RETRY_MS).unref();
  return {
    ask: (budgets) => ledger.ask(budgets),
    reserve: (charges, nowMs) => ledger.reserve(charges, nowMs),
    usage: () => ledger.usage(),
    onChange: (listener) => void listeners.push(listener),
    follow: (budget, total, nowMs) => ledger.follow(budget, total, nowMs),
    seed: (totals) => ledger.seed(totals),
    close: async () => {
      clearInterval(flushing);
      clearInterval(retrying);
      clearTimeout(urgent);
      await ledger.close();
      await store.close();
    },
  };
}
