export interface BackoffBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

export interface Backoff {
  /** The next delay: longer on average with every call since the last reset, in ms. */
  next(): number;
  reset(): void;
}

/** The exponential ceiling of a delay: twice the minimum per failure, never above the maximum, in ms. */
export function exponentialMs(failures: number, { minMs, maxMs }: BackoffBounds): number {
  return Math.min(maxMs, minMs * 2 ** Math.min(failures, 64)); // 2 ** 64 is above any maximum and still finite
}

/** Spreads clients that failed together over the range between the minimum and the growing ceiling. */
export function createBackoff(bounds: BackoffBounds, random: () => number): Backoff {
  let failures = 0;
  return {
    next: () => {
      failures += 1;
      return bounds.minMs + random() * (exponentialMs(failures, bounds) - bounds.minMs);
    },
    reset: () => {
      failures = 0;
    },
  };
}
