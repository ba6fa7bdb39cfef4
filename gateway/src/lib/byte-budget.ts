/** The bytes that all requests together hold in memory. */
export interface ByteBudget {
  /** In bytes. */
  readonly limit: number;
  readonly used: number;
  /** Opens an account; its owner closes it when the bytes are released. */
  open(): ByteAccount;
}

/** The share of a budget that one owner holds. */
export interface ByteAccount {
  /** Counts `bytes` more as held; false when they would exceed the budget, in which case nothing is counted. */
  take(bytes: number): boolean;
  /** Releases a part. */
  give(bytes: number): void;
  /** Releases everything; the account stays open. */
  clear(): void;
  /** Releases everything; later `take` calls are refused. */
  close(): void;
}

/** `onRefused` is called for each refusal. */
export function createByteBudget(limit: number, onRefused: () => void = () => undefined): ByteBudget {
  const budget: Ledger = { limit, used: 0, onRefused, open: () => new Account(budget) };
  return budget;
}

interface Ledger extends ByteBudget {
  used: number;
  onRefused(): void;
}

class Account implements ByteAccount {
  readonly #budget: Ledger;
  #held = 0;
  #isClosed = false;

  constructor(budget: Ledger) {
    this.#budget = budget;
  }

  take(bytes: number): boolean {
    if (this.#isClosed) return false;
    const budget = this.#budget;
    if (budget.used + bytes > budget.limit) {
      budget.onRefused();
      return false;
    }
    budget.used += bytes;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    const given = Math.min(bytes, this.#held);
    this.#held -= given;
    this.#budget.used -= given;
  }

  clear(): void {
    this.give(this.#held);
  }

  close(): void {
    this.#isClosed = true;
    this.clear();
  }
}
