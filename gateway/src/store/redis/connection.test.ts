import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { withDeadline } from './connection.ts';

const TIMEOUT_MS = 10;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** The time at which a command without an answer is given up, while others are answered every `everyMs` until `untilMs`. */
async function givenUpAfter({ everyMs, untilMs }: { everyMs: number; untilMs: number }): Promise<number> {
  const startMs = performance.now();
  let heardMs = 0;
  const answers = setInterval(() => {
    if (performance.now() - startMs <= untilMs) heardMs = performance.now();
  }, everyMs);
  let endMs: number | undefined;
  const end = withDeadline(new Promise(() => {}), TIMEOUT_MS, () => heardMs).catch((error: unknown) => {
    endMs = performance.now();
    return error;
  });
  while (endMs === undefined) await vi.advanceTimersByTimeAsync(1);
  clearInterval(answers);
  expect(await end).toMatchObject({ reason: 'timeout' });
  return endMs - startMs;
}

describe('a command without an answer is given up', () => {
  test('after its timeout', async () => {
    const endMs = await givenUpAfter({ everyMs: 1, untilMs: 0 });
    expect(endMs).toBeGreaterThanOrEqual(TIMEOUT_MS);
    expect(endMs).toBeLessThan(2 * TIMEOUT_MS);
  });

  test('not while others are answered: it waits behind them', async () => {
    const endMs = await givenUpAfter({ everyMs: 5, untilMs: 50 });
    expect(endMs).toBeGreaterThanOrEqual(50 + TIMEOUT_MS);
    expect(endMs).toBeLessThan(50 + 2 * TIMEOUT_MS);
  });

  test('in the end also while others are answered', async () => {
    const endMs = await givenUpAfter({ everyMs: 1, untilMs: Number.POSITIVE_INFINITY });
    expect(endMs).toBeGreaterThanOrEqual(10 * TIMEOUT_MS);
    expect(endMs).toBeLessThan(12 * TIMEOUT_MS);
  });
});
