/** What a target holds of limits and budgets until its answer is known. */
import type { BudgetDenial, BudgetLimit, Budgets, Charge, Spend } from '../../budgets/index.ts';
import type { Demand, Reservation } from '../../limits/index.ts';
import type { Settlement, Spent } from '../../record/index.ts';

export interface Holding {
  readonly demands: readonly Demand[];
  /** Undefined: there are no demands. */
  readonly reservation: Reservation | undefined;
  readonly charges: readonly Charge[];
  /** Undefined: there are no charges. */
  readonly spend: Spend | undefined;
  /** Tokens of the request, estimated; 0: it is no JSON. */
  readonly inputTokens: number;
  /** Nothing of them is held: they are charged once it is known what rows of a batch have used. Undefined: there are no rows. */
  readonly late: readonly BudgetLimit[] | undefined;
  readonly budgets: Pick<Budgets, 'reserve'>;
}

/** The first call of `settle` or `release` counts. */
export class TargetHold implements Settlement {
  readonly #holding: Holding;
  readonly #now: () => number;
  #isOver = false;

  constructor(holding: Holding, now: () => number) {
    this.#holding = holding;
    this.#now = now;
  }

  /** Requests count against rates for any answer; all else counts for good ones. */
  settle(spent: Spent): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { demands, reservation, charges, spend, late } = this.#holding;
    const isGood = spent.status >= 200 && spent.status <= 299;
    // Rows ran at another time, and not within these rates.
    const tokens = isGood && late === undefined ? Math.ceil(spent.usage?.total ?? 0) : 0;
    void reservation?.settle(
      demands.map(({ unit }) => (unit === 'requests' ? 1 : tokens)),
      this.#now(),
    );
    spend?.settle(charges.map(({ budget }) => (isGood ? amountOf(budget, spent) : 0)));
    if (isGood && late !== undefined && spent.usage !== undefined)
      chargeSpent({ limits: late, spent, budgets: this.#holding.budgets, nowMs: this.#now() });
  }

  /** The provider was called and its answer was not awaited, so that it may bill: the estimates count, and the input. */
  keep(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { demands, reservation, charges, spend, inputTokens } = this.#holding;
    void reservation?.settle(
      demands.map(({ unit, cost }) => (unit === 'requests' ? 1 : cost + inputTokens)),
      this.#now(),
    );
    spend?.settle(charges.map(() => Number.NaN)); // which leaves the estimates
  }

  /** The provider gave no answer: nothing is counted. */
  release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    void this.#holding.reservation?.release();
    this.#holding.spend?.release();
  }
}

interface Due {
  readonly limits: readonly BudgetLimit[];
  readonly spent: Pick<Spent, 'usage' | 'cost'>;
  readonly budgets: Pick<Budgets, 'reserve'>;
  readonly nowMs: number;
}

/** Charges what was used elsewhere. One budget at a time: one that is used up already does not keep the others from being charged. */
export function chargeSpent({ limits, spent, budgets, nowMs }: Due): void {
  for (const budget of limits) {
    const amount = amountOf(budget, spent);
    if (amount === 0) continue;
    const settle = (taken: Spend | BudgetDenial): void => {
      if (taken.allowed) taken.settle([amount]);
    };
    const taken = budgets.reserve([{ budget, estimate: amount }], nowMs);
    if (taken instanceof Promise)
      void taken.then(settle); // never rejects
    else settle(taken);
  }
}

function amountOf({ type }: BudgetLimit, { usage, cost }: Pick<Spent, 'usage' | 'cost'>): number {
  switch (type) {
    case 'cost':
      return cost?.nanoDollars ?? 0;
    case 'tokens':
      return Math.ceil(usage?.total ?? 0);
    case 'requests':
      return 1;
  }
}
