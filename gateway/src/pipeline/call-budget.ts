/** The calls to providers that one request may cause, over all its targets and their retries. */
export interface CallBudget {
  /** Counts a call that is about to be made; false: it may not be made. */
  take(): boolean;
  /** Whether one more call may be made. Call it only to make that call: false is remembered as `exhausted`. */
  allowsMore(): boolean;
  /** Whether a call was left out because the budget was used up. */
  readonly exhausted: boolean;
}

export function createCallBudget(max: number): CallBudget {
  let left = max;
  let exhausted = false;
  const allowsMore = (): boolean => {
    exhausted ||= left <= 0;
    return left > 0;
  };
  return {
    take: () => {
      if (!allowsMore()) return false;
      left -= 1;
      return true;
    },
    allowsMore,
    get exhausted() {
      return exhausted;
    },
  };
}
