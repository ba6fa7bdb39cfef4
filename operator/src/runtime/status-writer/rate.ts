import { type Clock, sleep } from '../time/index.ts';

export interface Rate {
  /** Resolves when it is the caller's turn; rejects with the signal's reason. */
  turn(signal: AbortSignal): Promise<void>;
}

/** At most `perSecond` turns a second in the long run, and `burst` at once after a pause. */
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
  // When the turns given so far would have ended at an even pace.
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
