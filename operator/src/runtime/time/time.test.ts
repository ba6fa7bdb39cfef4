import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBackoff, exponentialMs } from './backoff.ts';
import { aborted, sleep, untilAborted } from './clock.ts';
import { startDeadline } from './deadline.ts';
import { createTestClock } from './testing.ts';

const boom = new Error('boom');

describe('a back-off', () => {
  const bounds = { minMs: 800, maxMs: 30_000 };

  test('stays within its bounds and starts over after a reset, whatever the dice say', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1 }), (dice) => {
        let at = 0;
        const backoff = createBackoff(bounds, () => dice[at++ % dice.length] ?? 0);
        for (let failure = 1; failure <= dice.length; failure += 1) {
          const delayMs = backoff.next();
          expect(delayMs).toBeGreaterThanOrEqual(bounds.minMs);
          expect(delayMs).toBeLessThanOrEqual(exponentialMs(failure, bounds));
        }
        backoff.reset();
        expect(backoff.next()).toBeLessThanOrEqual(2 * bounds.minMs);
      }),
    );
  });

  test.for([
    { failures: 0, want: 800 },
    { failures: 3, want: 6_400 },
    { failures: 6, want: 30_000 },
    { failures: 10_000, want: 30_000 },
  ])('has a ceiling of $want ms after $failures failures', ({ failures, want }) => {
    expect(exponentialMs(failures, bounds)).toBe(want);
  });
});

describe('waiting', () => {
  test('ends when the time is up', async () => {
    const clock = createTestClock();
    const slept = sleep(1_000, { signal: new AbortController().signal, clock });
    clock.advance(1_000);
    await expect(slept).resolves.toBeUndefined();
  });

  test.for([
    { rule: 'before it began', early: true },
    { rule: 'while it waits', early: false },
  ])('ends with the reason of a signal that was aborted $rule, and leaves no timer', async ({ early }) => {
    const clock = createTestClock();
    const stop = new AbortController();
    if (early) stop.abort(boom);
    const slept = sleep(1_000, { signal: stop.signal, clock });
    stop.abort(boom);
    await expect(slept).rejects.toBe(boom);
    expect(clock.nextDueMs()).toBeUndefined();
  });

  test('for work ends with the work or with the signal, whichever is first', async () => {
    const stop = new AbortController();
    await expect(untilAborted(Promise.resolve(1), stop.signal)).resolves.toBe(1);
    const ended = aborted(stop.signal);
    const waiting = untilAborted(new Promise(() => {}), stop.signal);
    stop.abort(boom);
    await expect(waiting).rejects.toBe(boom);
    await expect(ended).resolves.toBeUndefined();
    await expect(untilAborted(Promise.resolve(1), stop.signal)).rejects.toBe(boom);
  });
});

describe('a deadline', () => {
  const start = () => {
    const clock = createTestClock();
    const outer = new AbortController();
    const deadline = startDeadline({ signal: outer.signal, timeoutMs: 100, onTimeout: () => boom, clock });
    return { clock, outer, deadline };
  };

  test('passes and can be extended', () => {
    const { clock, deadline } = start();
    clock.advance(99);
    deadline.extend();
    clock.advance(99);
    expect(deadline.signal.aborted).toBe(false);
    clock.advance(1);
    expect(deadline.signal.reason).toBe(boom);
  });

  test('follows the outer signal until it is disposed', () => {
    const { outer, deadline } = start();
    outer.abort('why');
    expect(deadline.signal.reason).toBe('why');
    const other = start();
    other.deadline[Symbol.dispose]();
    other.outer.abort('why');
    other.clock.advance(1_000);
    expect(other.deadline.signal.aborted).toBe(false);
  });
});
