import type { Clock } from './clock.ts';

export interface TestClock extends Clock {
  /** Advances the time and runs due timers, in order. */
  advance(ms: number): void;
  /** When the next timer is due, in monotonic ms. */
  nextDueMs(): number | undefined;
}

/** A clock that only `advance` moves; starts at 2026-01-01. */
export function createTestClock(): TestClock {
  const epochMs = Date.UTC(2026, 0, 1);
  const timers = new Set<{ readonly dueMs: number; readonly run: () => void }>();
  let nowMs = 0;
  const earliest = () => [...timers].sort((a, b) => a.dueMs - b.dueMs)[0];
  return {
    monotonicMs: () => nowMs,
    wallMs: () => epochMs + nowMs,
    schedule: (delayMs, run) => {
      const timer = { dueMs: nowMs + delayMs, run };
      timers.add(timer);
      return { [Symbol.dispose]: () => timers.delete(timer) };
    },
    nextDueMs: () => earliest()?.dueMs,
    advance: (ms) => {
      const until = nowMs + ms;
      for (let timer = earliest(); timer !== undefined && timer.dueMs <= until; timer = earliest()) {
        timers.delete(timer);
        nowMs = timer.dueMs;
        timer.run();
      }
      nowMs = until;
    },
  };
}

/** Lets all pending promises settle. */
export async function flush(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
}
