/** Charges that are told to the counters under one name, so that telling them again after a crash changes nothing. */
import type { BudgetStore } from './budget-store.ts';
import type { BudgetLimit, Budgets } from './budgets.ts';
import { Ledger } from './ledger.ts';

export interface OnceOptions {
  readonly store: BudgetStore;
  /** Of the charges: unique for ever. The counters know it for six hours after it was told last. */
  readonly name: string;
  /** Of this try: larger than those of all tries before. */
  readonly tryNumber: number;
}

export interface OnceCharges {
  readonly budgets: Pick<Budgets, 'reserve'>;
  /** Resolves once the counters know what was settled, with the budgets that were charged. False: they could not be told, and may know it or not. */
  tell(): Promise<readonly BudgetLimit[] | false>;
}

/** Requests of one try to the counters are fewer. */
const SEQUENCES_PER_TRY = 1_000_000;
/** It is told long before, in ms. */
const LEASE_MS = 30_000;
/** More than one call has. */
const MAX_ACCOUNTS = 10_000;

export function createOnceCharges({ store, name, tryNumber }: OnceOptions): OnceCharges {
  let isTold = true;
  const charged = new Set<BudgetLimit>();
  const pending = new Set<Promise<unknown>>();
  const ledger = new Ledger({
    store,
    storeFailurePolicy: 'open',
    holder: name,
    firstSequence: tryNumber * SEQUENCES_PER_TRY,
    processes: 1,
    leaseMs: LEASE_MS,
    maxAccounts: MAX_ACCOUNTS,
    now: () => performance.now(),
    onUrgent: () => undefined,
    onChange: () => undefined,
    onStore: (isAvailable) => {
      if (!isAvailable) isTold = false;
    },
  });
  return {
    budgets: {
      reserve: (charges, nowMs) => {
        for (const { budget } of charges) charged.add(budget);
        const taken = ledger.reserve(charges, nowMs);
        if (taken instanceof Promise) pending.add(taken);
        return taken;
      },
    },
    tell: async () => {
      await Promise.all(pending);
      await ledger.close();
      return isTold && [...charged];
    },
  };
}
