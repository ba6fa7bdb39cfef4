import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBackoff, sleepUntilAborted, startIdleTimeout } from './backoff.ts';

describe('a back-off', () => {
  test('grows to its maximum, stays within its bounds, and starts over', () => {
    const bounds = { minMs: 100, maxMs: 5_000 };
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (dice) => {
        const backoff = createBackoff(bounds, () => dice);
        const delays = Array.from({ length: 12 }, () => backoff.next());
        for (const [i, delayMs] of delays.entries()) {
          expect(delayMs).toBeGreaterThanOrEqual(Math.max(bounds.minMs, delays[i - 1] ?? 0));
          expect(delayMs).toBeLessThanOrEqual(bounds.maxMs);
        }
        backoff.reset();
        expect(backoff.next()).toBeLessThanOrEqual(2 * bounds.minMs);
      }),
    );
  });
});

describe('a pause', () => {
  test.for([
    { rule: 'before it began', early: true },
    { rule: 'while it lasts', early: false },
  ])('ends with a signal aborted $rule', async ({ early }) => {
    const stop = new AbortController();
    if (early) stop.abort();
    const paused = sleepUntilAborted(3_600_000, stop.signal);
    stop.abort();
    await expect(paused).resolves.toBeUndefined();
  });
});

describe('a deadline', () => {
  test('passes, follows its signal, and lets go of it', async () => {
    const outer = new AbortController();
    using soon = startIdleTimeout(outer.signal, 1);
    await new Promise((resolve) => soon.signal.addEventListener('abort', resolve));
    const following = startIdleTimeout(outer.signal, 3_600_000);
    const released = startIdleTimeout(outer.signal, 3_600_000);
    released[Symbol.dispose]();
    outer.abort('why');
    expect([following.signal.reason, released.signal.aborted]).toEqual(['why', false]);
    following[Symbol.dispose]();
    expect(startIdleTimeout(outer.signal, 3_600_000).signal.aborted).toBe(true);
  });
});
