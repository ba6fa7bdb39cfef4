/** How many calls one key may make: docs/behaviour/management.md#a-call. */

export interface CallRates {
  /** Counts a call; gives the seconds after which the next one may come where this one is too much. */
  take(key: string, nowMs: number): number | undefined;
}

export interface CallRatesOptions {
  /** Calls in a second, over a longer time. */
  readonly perSecond?: number;
  /** Calls at once. */
  readonly burst?: number;
  /** Keys that are remembered: those that have called last. */
  readonly maxKeys?: number;
}

const DEFAULTS = { perSecond: 200, burst: 1_000, maxKeys: 10_000 } as const;

interface Bucket {
  calls: number;
  atMs: number;
}

/** A bucket for each key, which fills again as time goes on. */
export function createCallRates(options: CallRatesOptions = {}): CallRates {
  const { perSecond, burst, maxKeys } = { ...DEFAULTS, ...options };
  const buckets = new Map<string, Bucket>();
  return {
    take: (key, nowMs) => {
      const known = buckets.get(key) ?? { calls: burst, atMs: nowMs };
      const calls = Math.min(burst, known.calls + ((nowMs - known.atMs) * perSecond) / 1_000);
      const isAdmitted = calls >= 1;
      buckets.delete(key); // the last in the order
      buckets.set(key, { calls: isAdmitted ? calls - 1 : calls, atMs: nowMs });
      const [oldest] = buckets.size > maxKeys ? buckets.keys() : [];
      if (oldest !== undefined) buckets.delete(oldest);
      return isAdmitted ? undefined : Math.max(1, Math.ceil((1 - calls) / perSecond));
    },
  };
}
