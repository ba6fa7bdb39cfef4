import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AppError } from '../../errors/index.ts';
import { type ProgressRule, watchProgress } from './body-progress.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Waits of `ms`, each ended by `bytes`; answers with the time at which the body was aborted. */
function play(rule: ProgressRule, waits: readonly { readonly ms: number; readonly bytes: number }[]) {
  let stalled: AppError | undefined;
  const watch = watchProgress(rule, (error) => {
    stalled = error;
  });
  const startedMs = performance.now();
  for (const { ms, bytes } of waits) {
    watch.wait();
    for (let waited = 0; waited < ms && stalled === undefined; waited += 1) vi.advanceTimersByTime(1);
    if (stalled !== undefined) return { code: stalled.code, afterMs: performance.now() - startedMs };
    watch.arrived(bytes);
  }
  watch.stop();
  return undefined;
}

describe('a body', () => {
  const rule = { idleMs: 1_000, minBytesPerSecond: 100 };

  test('stalls after a silence', () => {
    expect(play(rule, [{ ms: 10_000, bytes: 0 }])).toEqual({ code: 'BODY_STALLED', afterMs: 1_000 });
    expect(
      play(rule, [
        { ms: 500, bytes: 10_000 },
        { ms: 10_000, bytes: 0 },
      ]),
    ).toMatchObject({ afterMs: 1_500 });
  });

  test('that arrives byte by byte stalls once the first silence would be over', () => {
    const drip = Array.from({ length: 100 }, () => ({ ms: 500, bytes: 1 }));
    expect(play(rule, drip)?.afterMs).toBeLessThan(1_100);
  });

  test('does not stall as long as it keeps the rate', () => {
    const steady = Array.from({ length: 100 }, () => ({ ms: 500, bytes: 50 }));
    expect(play(rule, steady)).toBeUndefined();
  });

  test('waits only while a reader wants its bytes', () => {
    let stalled = false;
    const watch = watchProgress(rule, () => {
      stalled = true;
    });
    for (let i = 0; i < 10; i += 1) {
      watch.wait();
      vi.advanceTimersByTime(1);
      watch.arrived(1);
      vi.advanceTimersByTime(60_000); // the reader is busy
    }
    expect(stalled).toBe(false);
  });

  test('may take forever without a rule', () => {
    expect(play({ idleMs: 0, minBytesPerSecond: 100 }, [{ ms: 10_000, bytes: 0 }])).toBeUndefined();
  });

  test('needs no rate without one', () => {
    const drip = Array.from({ length: 100 }, () => ({ ms: 900, bytes: 1 }));
    expect(play({ idleMs: 1_000, minBytesPerSecond: 0 }, drip)).toBeUndefined();
  });
});
