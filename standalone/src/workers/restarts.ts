/** When a worker that has ended is replaced. */

export interface Restarts {
  /** Wait before the replacement of a worker that has just ended, in ms. */
  next(): number;
}

/** The first replacement follows quickly; each further one within a minute waits twice as long. */
const FIRST_MS = 100;
const LONGEST_MS = 10_000;
const WINDOW_MS = 60_000;
/** Replacements of all workers within a minute. */
const MAX_PER_WINDOW = 20;

/** `now`: monotonic time in ms. */
export function createRestarts(now: () => number): Restarts {
  /** When the replacements of the last minute start. */
  let starts: readonly number[] = [];
  return {
    next: () => {
      const nowMs = now();
      starts = starts.filter((startMs) => startMs > nowMs - WINDOW_MS);
      const backoffMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** starts.length);
      const earliestMs = (starts.at(-MAX_PER_WINDOW) ?? Number.NEGATIVE_INFINITY) + WINDOW_MS;
      const startMs = Math.max(nowMs + backoffMs, earliestMs);
      starts = [...starts, startMs].sort((a, b) => a - b);
      return startMs - nowMs;
    },
  };
}
