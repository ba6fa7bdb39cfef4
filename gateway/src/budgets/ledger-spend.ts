import type { Account } from './account.ts';
import { type Charge, MAX_AMOUNT, type Spend } from './budgets.ts';

/** At least 1, so that a request of unknown cost needs a budget with something left, too. */
export const neededFor = ({ estimate }: Charge): number => Math.max(toAmount(estimate) ?? 0, 1);

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
      const reserved = Math.min(neededFor(charges[i] as Charge), account.available);
      account.reserve(reserved);
      this.reserved.push(reserved);
      this.#periodNumbers.push(account.periodNumber);
    }
  }

  settle(actual: readonly number[]): void {
    this.#end((i) => toAmount(actual[i]) ?? toAmount(this.#charges[i]?.estimate) ?? 0);
  }

  release(): void {
    this.#end(() => 0);
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

/** A whole number; undefined for what is none. */
function toAmount(amount: number | undefined): number | undefined {
  if (amount === undefined || !(amount >= 0) || amount === Number.POSITIVE_INFINITY) return undefined;
  return Math.min(Math.ceil(amount), MAX_AMOUNT);
}
