import type { Account } from './account.ts';
import { type Charge, MAX_AMOUNT, type Spend } from './budgets.ts';

/** What one request has taken, by charge. */
export class LedgerSpend implements Spend {
  readonly allowed = true;
  readonly #charges: readonly Charge[];
  readonly #accounts: readonly Account[];
  readonly #onSettled: (account: Account) => void;
  /** By charge. */
  readonly reserved: number[] = [];
  readonly #periodNumbers: number[] = [];
  #ended = false;

  /** Reserves; every account must have something available. */
  constructor(charges: readonly Charge[], accounts: readonly Account[], onSettled: (account: Account) => void) {
    this.#charges = charges;
    this.#accounts = accounts;
    this.#onSettled = onSettled;
    for (let i = 0; i < accounts.length; i += 1) {
      const account = accounts[i] as Account; // of the charge
      const reserved = Math.min(Math.max(this.#estimateOf(i), 1), account.available);
      account.reserve(reserved);
      this.reserved.push(reserved);
      this.#periodNumbers.push(account.periodNumber);
    }
  }

  settle(actual: readonly number[]): void {
    this.#end((i) => (isAmount(actual[i]) ? Math.min(actual[i], MAX_AMOUNT) : this.#estimateOf(i)));
  }

  release(): void {
    this.#end(() => 0);
  }

  #estimateOf(i: number): number {
    const estimate = this.#charges[i]?.estimate;
    return isAmount(estimate) ? Math.min(Math.ceil(estimate), MAX_AMOUNT) : 0;
  }

  #end(actualOf: (i: number) => number): void {
    if (this.#ended) return;
    this.#ended = true;
    for (let i = 0; i < this.#accounts.length; i += 1) {
      const account = this.#accounts[i] as Account; // of the charge
      account.settle(this.#periodNumbers[i] ?? 0, this.reserved[i] ?? 0, actualOf(i));
      this.#onSettled(account);
    }
  }
}

const isAmount = (amount: number | undefined): amount is number =>
  amount !== undefined && amount >= 0 && amount < Number.POSITIVE_INFINITY;
