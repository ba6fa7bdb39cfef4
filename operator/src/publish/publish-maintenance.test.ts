import { describe, expect, test } from 'vitest';
import { ApiError } from '../runtime/index.ts';
import { createTestClock, flush } from '../runtime/time/testing.ts';
import { createPublishMaintenance } from './publish-maintenance.ts';

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function tending({ repair = async () => ({ restored: 0 }), paused = false } = {}) {
  const clock = createTestClock();
  const stop = new AbortController();
  const counts = { repairs: 0, collections: 0, notified: 0 };
  const maintenance = createPublishMaintenance({
    publisher: {
      repair: async () => {
        counts.repairs += 1;
        return repair();
      },
      collect: async () => {
        counts.collections += 1;
        return 0;
      },
    },
    isPaused: () => paused,
    onRepaired: () => {
      counts.notified += 1;
    },
    log: QUIET,
    clock,
  });
  const running = maintenance.run(stop.signal);
  const pass = async (ms: number): Promise<void> => {
    for (let i = 0; i < ms; i += 50) {
      await flush();
      clock.advance(50);
      await flush();
    }
  };
  return {
    maintenance,
    counts,
    pass,
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test is over'));
      await running;
    },
  };
}

describe('what is published', () => {
  test('is repaired within two seconds of a change, once for changes that come together', async () => {
    await using given = tending();
    await given.pass(1_000);
    for (let i = 0; i < 10; i += 1) given.maintenance.wake();
    await given.pass(2_000);
    expect(given.counts).toMatchObject({ repairs: 1, notified: 1 });
  });

  test('is checked at intervals without a change', async () => {
    await using given = tending();
    await given.pass(61_000);
    expect(given.counts.repairs).toBeGreaterThanOrEqual(3);
    expect(given.counts.collections).toBe(4);
  });

  test('is left alone while the fleet is suspended', async () => {
    await using given = tending({ paused: true });
    given.maintenance.wake();
    await given.pass(61_000);
    expect(given.counts).toEqual({ repairs: 0, collections: 0, notified: 0 });
  });

  test('is not restored without limit when it is removed again and again', async () => {
    await using given = tending({ repair: async () => ({ restored: 1 }) });
    for (let second = 0; second < 600; second += 1) {
      given.maintenance.wake();
      await given.pass(1_000);
    }
    expect(given.counts.repairs).toBeLessThanOrEqual(20 + 600 / 5 + 1);
    expect(given.counts.repairs).toBeGreaterThan(100);
  });

  test('is checked again soon after a conflict', async () => {
    const failures = [new ApiError({ status: 409, reason: 'Conflict', message: 'boom' })];
    await using given = tending({
      repair: async () => {
        const failure = failures.pop();
        if (failure !== undefined) throw failure;
        return { restored: 1 };
      },
    });
    given.maintenance.wake();
    await given.pass(2_000);
    expect(given.counts).toMatchObject({ repairs: 2, notified: 1 });
  });
});
