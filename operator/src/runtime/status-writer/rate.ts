import { type Clock, sleep } from '../time/index.ts';

export interface Rate {
  /** Resolves when the caller may proceed; rejects with the reason of the signal. */
  turn(signal: AbortSignal): Promise<void>;
}

/** At most `perSecond` permits per second in the long run, and `burst` at once after a pause. */
export function createRate({
  perSecond,
  burst,
  clock,
}: {
  readonly perSecond: number;
  readonly burst: number;
  readonly clock: Clock;
}): Rate {
  const intervalMs = 1_000 / perSecond;
  // When the permits so far would have been used up at an even pace.
  let paidUntilMs = Number.NEGATIVE_INFINITY;
  return {
    turn: async (signal) => {
      const nowMs = clock.monotonicMs();
      paidUntilMs = Math.max(paidUntilMs, nowMs) + intervalMs;
      const delayMs = paidUntilMs - nowMs - burst * intervalMs;
      if (delayMs > 0) await sleep(delayMs, { signal, clock });
      else signal.throwIfAborted();
    },
  };
}
