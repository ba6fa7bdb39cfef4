/** Turns a stream of changes into few runs. */
import { type Clock, systemClock } from './clock.ts';

export interface CoalescerOptions {
  /** Never runs twice at a time, and reports its errors itself. */
  readonly run: () => Promise<void>;
  /** How long to wait for further changes after a run, in ms. Default 50. */
  readonly quietMs?: number;
  /** How long changes may delay a run, in ms. Default 500. */
  readonly maxWaitMs?: number;
  readonly clock?: Clock;
}

export interface Coalescer {
  /** Something has changed: after a pause a run starts at once, otherwise soon. */
  trigger(): void;
  /** Prevents further runs; resolves when the last one has ended. */
  close(): Promise<void>;
}

/** Runs at once for the first change, and for later ones when it is quiet or they have waited long enough. */
export function createCoalescer(options: CoalescerOptions): Coalescer {
  const { run, quietMs = 50, maxWaitMs = 500, clock = systemClock } = options;
  let closed = false;
  let running: Promise<void> | undefined;
  let timer: Disposable | undefined;
  /** When the oldest waiting change came; undefined: none waits. */
  let waitingSinceMs: number | undefined;
  let quietUntilMs = Number.NEGATIVE_INFINITY;

  const begin = (): void => {
    timer = undefined;
    waitingSinceMs = undefined;
    running = run()
      .catch(() => undefined)
      .then(() => {
        running = undefined;
        quietUntilMs = clock.monotonicMs() + quietMs;
        if (waitingSinceMs !== undefined) schedule();
      });
  };
  const schedule = (): void => {
    if (closed || running !== undefined || waitingSinceMs === undefined) return;
    const nowMs = clock.monotonicMs();
    const dueMs = Math.min(quietUntilMs, waitingSinceMs + maxWaitMs);
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (dueMs <= nowMs) begin();
    else timer = clock.schedule(dueMs - nowMs, begin);
  };
  return {
    trigger: () => {
      const nowMs = clock.monotonicMs();
      if (waitingSinceMs !== undefined || running !== undefined) quietUntilMs = nowMs + quietMs;
      waitingSinceMs ??= nowMs;
      schedule();
    },
    close: async () => {
      closed = true;
      timer?.[Symbol.dispose]();
      await running;
    },
  };
}
