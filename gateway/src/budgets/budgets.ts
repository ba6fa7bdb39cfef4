/** The port of budgets: what a request may spend of them, and how much of them is used. */
import type { Schedule } from './schedule.ts';

/** What is counted: nano-dollars, tokens or requests. */
export type BudgetType = 'cost' | 'tokens' | 'requests';

/** One counter and its limit. Compiled once per Snapshot; of a policy once per group of values. */
export interface BudgetLimit {
  /** Of the counter: unique among all. The limit is no part of it, so that a changed limit keeps the count. */
  readonly id: string;
  /** Among the budgets of its owner; that of a policy has the policy's name. */
  readonly name: string;
  /** The workspace that owns the counter; empty for the organisation. */
  readonly slot: string;
  readonly owner: {
    readonly kind: 'key' | 'workspace' | 'provider' | 'access' | 'policy';
    /** Of the Snapshot entry that has the budget. */
    readonly id: string;
    readonly slug: string;
    /** Of a policy: the values that the counter is for. */
    readonly bucket?: string | undefined;
  };
  readonly type: BudgetType;
  /** At most 2^53 - 1, as every amount. */
  readonly limit: number;
  /** The use at which a notice is sent. */
  readonly alertAt?: number | undefined;
  readonly schedule: Schedule;
}

/** What a request is expected to take from a budget. */
export interface Charge {
  readonly budget: BudgetLimit;
  readonly estimate: number;
}

/** Amounts taken for one request. The first call of `settle` or `release` counts, later ones do nothing. */
export interface Spend {
  readonly allowed: true;
  /**
   * Corrects the charges, in their order, to what was really spent; may exceed the limit. An amount that is negative or not finite
   * leaves the estimate. What belongs to a period that is over does not count in the next one.
   */
  settle(actual: readonly number[]): void;
  /** Returns everything. */
  release(): void;
}

export interface BudgetDenial {
  readonly allowed: false;
  /** The first budget in the order of the charges that nothing is left of. */
  readonly budget: BudgetLimit;
  /**
   * `reserved`: not all is spent, but requests in flight hold the rest. `unavailable`: the shared counters are away, and the failure
   * policy is to refuse (503).
   */
  readonly reason: 'exhausted' | 'reserved' | 'unavailable';
  /** Undefined: never. */
  readonly resetsAtMs: number | undefined;
}

export interface BudgetUsage {
  readonly budget: BudgetLimit;
  /** By all processes, as far as this one knows. */
  readonly used: number;
  readonly periodStartMs: number;
  readonly resetsAtMs: number | undefined;
  readonly exhausted: boolean;
  /** The use has reached `alertAt`. */
  readonly alert: boolean;
  /** Of the store's counter; empty before the first contact. A store that has lost its data begins another generation. */
  readonly generation: string;
}

/** What a counter had reached, for a store that has lost it. */
export interface BudgetTotal {
  readonly id: string;
  readonly periodStartMs: number;
  /** In which that was counted: a total raises counters of other generations only. */
  readonly generation: string;
  readonly used: number;
}

export interface Budgets {
  /** Whether something is left in each. Takes nothing, and answers from what this process knows. */
  ask(budgets: readonly BudgetLimit[], nowMs: number): BudgetDenial | undefined;
  /**
   * Takes the estimates, or what is left where that is less; of all budgets, or of none. A promise only when the store has to be
   * asked. Never rejects. `nowMs`: Unix time.
   */
  reserve(charges: readonly Charge[], nowMs: number): Spend | BudgetDenial | Promise<Spend | BudgetDenial>;
  /** The budgets that this process has met, in their current periods. */
  usage(): readonly BudgetUsage[];
  /** Calls back when a budget is used up, reaches its alert, or has something left again. */
  onChange(listener: (usage: BudgetUsage) => void): void;
  /** Others spend of the budget and tell the same store through this process: `usage` follows, within ten seconds. `total`: all that is spent. */
  follow(budget: BudgetLimit, total: number, nowMs: number): void;
  /** Totals that others know, for counters of the same period that the store has lost: the largest one counts. */
  seed(totals: readonly BudgetTotal[]): void;
  /** Tells the store what was spent and returns the rest. */
  close(): Promise<void>;
}

/** Every amount is an integer up to here: 9,007,199 US dollars in nano-dollars. */
export const MAX_AMOUNT: number = Number.MAX_SAFE_INTEGER;
