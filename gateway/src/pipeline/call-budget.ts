/** The calls to providers that one request may cause, over all its targets and their retries. */
export class CallBudget {
  #left: number;
  #exhausted = false;

  constructor(max: number) {
    this.#left = max;
  }

  /** Counts a call that is about to be made; false: it may not be made. */
  take(): boolean {
    if (!this.allowsMore()) return false;
    this.#left -= 1;
    return true;
  }

  /** Whether one more call may be made. Call it only to make that call: false is remembered as `exhausted`. */
  allowsMore(): boolean {
    if (this.#left > 0) return true;
    this.#exhausted = true;
    return false;
  }

  /** Whether a call was left out because the budget was used up. */
  get exhausted(): boolean {
    return this.#exhausted;
  }
}
