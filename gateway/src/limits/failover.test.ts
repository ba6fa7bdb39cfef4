/** Shared counters here are a limiter in memory that can be switched off; the real Redis is in test/integration/redis. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { StoreUnavailable, type UnavailableReason } from '../store/index.ts';
import { createFailoverLimiter, type FailoverOptions, type SharedCounters } from './failover.ts';
import type { Change, Demand, Denial, Limiter, Reservation } from './limiter.ts';

const START = Date.UTC(2026, 0, 1);
const RETRY_MS = 500;

beforeEach(() => vi.useFakeTimers({ now: START }));
afterEach(() => vi.useRealTimers());

const requests = (limit: number, over: Partial<Demand> = {}): Demand => ({
  subject: 'key/team/a',
  slot: 'team',
  unit: 'requests',
  window: 'rpd',
  limit,
  cost: 1,
  ...over,
});
const tokens = (limit: number, cost: number): Demand => requests(limit, { unit: 'tokens', cost, estimated: true });

/** One counter of all subjects, as a Redis would have it, and the switch for its failure. */
function startShared() {
  let failure: UnavailableReason | undefined;
  let used = 0;
  const added = new Map<string, number>();
  let listener: (isConnected: boolean) => void = () => undefined;
  const check = (): void => {
    if (failure !== undefined) throw new StoreUnavailable(failure);
  };
  const reserve = async (demands: readonly Demand[]): Promise<Reservation | Denial> => {
    check();
    const [demand] = demands;
    if (demand === undefined) throw new Error('no demand');
    const { cost, limit } = demand;
    if (used + cost > limit) return { allowed: false, demand, remaining: limit - used, retryAfterMs: 1 };
    used += cost;
    const settle = ([actual = cost]: readonly number[]): void => {
      used += actual - cost;
    };
    return { allowed: true, windows: [{ remaining: limit - used, resetMs: 1 }], settle, release: () => settle([0]) };
  };
  const shared: SharedCounters = {
    ask: async () => ({ allowed: true }),
    reserve,
    add: async (slot, id, changes: readonly Change[]) => {
      check();
      if (changes.length === 0) return;
      added.set(
        `${slot}/${id}`,
        changes.reduce((sum, { units }) => sum + units, 0),
      );
    },
    watch: (given) => {
      listener = given;
      given(true);
      return () => undefined;
    },
    close: async () => undefined,
  };
  return {
    shared,
    used: () => used + [...added.values()].reduce((sum, units) => sum + units, 0),
    fail: (reason: UnavailableReason | undefined) => {
      failure = reason;
    },
    connected: (isConnected: boolean) => listener(isConnected),
  };
}

function limiterOver(shared: SharedCounters, over: Partial<FailoverOptions> = {}) {
  const states: string[] = [];
  const errors: unknown[] = [];
  const limiter = createFailoverLimiter({
    shared,
    policy: 'open',
    now: Date.now,
    retryMs: RETRY_MS,
    onState: ({ counted }) => void states.push(counted),
    onError: (error) => void errors.push(error),
    ...over,
  });
  return { limiter, states, errors };
}

function granted(result: Reservation | Denial): Reservation {
  if (!result.allowed) throw new Error(`denied: ${JSON.stringify(result)}`);
  return result;
}

async function grantsOf(limiter: Limiter, demand: Demand, tries: number): Promise<number> {
  let grants = 0;
  for (let i = 0; i < tries; i += 1) if ((await limiter.reserve([demand], Date.now())).allowed) grants += 1;
  return grants;
}

describe('a limiter whose shared counters go away', () => {
  test('goes on from where they were last seen, and adds what it counted when they are back', async () => {
    const redis = startShared();
    const { limiter, states } = limiterOver(redis.shared);
    expect(await grantsOf(limiter, requests(10), 4)).toBe(4);
    redis.fail('disconnected');
    redis.connected(false);
    expect(await grantsOf(limiter, requests(10), 20)).toBe(6);
    expect(redis.used()).toBe(4);
    redis.fail(undefined);
    redis.connected(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(redis.used()).toBe(10);
    expect(states).toEqual(['local', 'shared']);
    await limiter.close();
  });

  test('admits nothing of a window that others had used up when it was last asked', async () => {
    const redis = startShared();
    const { limiter: other } = limiterOver(redis.shared);
    expect(await grantsOf(other, requests(10), 10)).toBe(10);
    const { limiter } = limiterOver(redis.shared);
    expect(await grantsOf(limiter, requests(10), 1)).toBe(0);
    redis.fail('disconnected');
    redis.connected(false);
    expect(await grantsOf(limiter, requests(10), 5)).toBe(0);
    await Promise.all([limiter.close(), other.close()]);
  });

  test('adds the correction of what was reserved alone and settled later', async () => {
    const redis = startShared();
    const { limiter } = limiterOver(redis.shared);
    await vi.advanceTimersByTimeAsync(0);
    redis.connected(false);
    const reservation = granted(await limiter.reserve([tokens(1_000, 100)], Date.now()));
    redis.connected(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(redis.used()).toBe(100);
    await reservation.settle([40], Date.now());
    await vi.advanceTimersByTimeAsync(RETRY_MS);
    expect(redis.used()).toBe(40); // though no further request came
    await limiter.close();
  });

  test('adds what was counted while it added the rest before it counts with them again', async () => {
    const redis = startShared();
    const pending: (() => void)[] = [];
    const { limiter } = limiterOver({
      ...redis.shared,
      add: async (...given) => {
        if (given[2].length > 0) await new Promise<void>((resolve) => pending.push(resolve));
        await redis.shared.add(...given);
      },
    });
    await vi.advanceTimersByTimeAsync(0);
    redis.connected(false);
    expect(await grantsOf(limiter, requests(20), 7)).toBe(7);
    redis.connected(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(await grantsOf(limiter, requests(20), 20)).toBe(13);
    pending.shift()?.();
    await vi.advanceTimersByTimeAsync(0);
    expect([limiter.state().counted, redis.used()]).toEqual(['local', 7]);
    pending.shift()?.();
    await vi.advanceTimersByTimeAsync(0);
    expect([limiter.state().counted, redis.used()]).toEqual(['shared', 20]);
    await limiter.close();
  });

  test('counts with them again also under requests without end, and adds the rest soon', async () => {
    const redis = startShared();
    const { limiter } = limiterOver({
      ...redis.shared,
      add: async (...given) => {
        await redis.shared.add(...given);
        if (limiter.state().counted === 'local') await limiter.reserve([requests(100)], Date.now());
      },
    });
    await vi.advanceTimersByTimeAsync(0);
    redis.connected(false);
    await limiter.reserve([requests(100)], Date.now());
    redis.connected(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(limiter.state().counted).toBe('shared');
    await vi.advanceTimersByTimeAsync(RETRY_MS);
    expect(redis.used()).toBe(6);
    await limiter.close();
  });

  test('adds what it counted alone before it closes', async () => {
    const redis = startShared();
    const { limiter } = limiterOver(redis.shared);
    await vi.advanceTimersByTimeAsync(0);
    redis.fail('timeout');
    expect(await grantsOf(limiter, requests(10), 2)).toBe(2);
    redis.fail(undefined);
    await limiter.close();
    expect(redis.used()).toBe(2);
  });

  test('closes when they are away', async () => {
    const redis = startShared();
    const { limiter } = limiterOver(redis.shared);
    redis.fail('timeout');
    expect(await grantsOf(limiter, requests(10), 2)).toBe(2);
    await expect(limiter.close()).resolves.toBeUndefined();
    expect(redis.used()).toBe(0);
  });

  test('leaves them for no burst of calls that were under way together', async () => {
    const redis = startShared();
    const { limiter, states } = limiterOver(redis.shared);
    await vi.advanceTimersByTimeAsync(0);
    redis.fail('timeout');
    await Promise.all(Array.from({ length: 50 }, () => limiter.reserve([requests(100)], Date.now())));
    expect(states).toEqual([]);
    await limiter.close();
  });

  test('decides alone for one call without an answer, and stays with them', async () => {
    const redis = startShared();
    const { limiter, states, errors } = limiterOver(redis.shared);
    await vi.advanceTimersByTimeAsync(0);
    redis.fail('timeout');
    expect(await grantsOf(limiter, requests(10), 2)).toBe(2);
    redis.fail(undefined);
    expect(await grantsOf(limiter, requests(10), 1)).toBe(1);
    expect([states, errors.length]).toEqual([[], 2]);
    await vi.advanceTimersByTimeAsync(RETRY_MS);
    expect(redis.used()).toBe(3);
    await limiter.close();
  });

  test('asks them no more after three calls without an answer, until they take what was counted', async () => {
    const redis = startShared();
    const { limiter, states, errors } = limiterOver(redis.shared);
    await vi.advanceTimersByTimeAsync(0);
    redis.fail('timeout');
    expect(await grantsOf(limiter, requests(100), 50)).toBe(50);
    expect([states, errors.length]).toEqual([['local'], 3]);
    expect(limiter.state()).toEqual({ counted: 'local', sinceMs: START, reason: 'timeout' });
    redis.fail(undefined);
    await vi.advanceTimersByTimeAsync(RETRY_MS);
    expect([states, redis.used()]).toEqual([['local', 'shared'], 50]);
    await limiter.close();
  });

  test.for(['disconnected', 'timeout', 'busy', 'refused', 'failed'] as const)(
    'refuses what has a limit when the policy is closed: %s',
    async (reason) => {
      const redis = startShared();
      const { limiter } = limiterOver(redis.shared, { policy: 'closed' });
      await vi.advanceTimersByTimeAsync(0);
      redis.fail(reason);
      for (let i = 0; i < 5; i += 1) {
        await expect(limiter.reserve([requests(10)], Date.now())).rejects.toMatchObject({ code: 'LIMITS_UNAVAILABLE' });
      }
      expect(limiter.state()).toMatchObject({ counted: 'refused', reason });
      redis.fail(undefined);
      await vi.advanceTimersByTimeAsync(RETRY_MS);
      granted(await limiter.reserve([requests(10)], Date.now()));
      await limiter.close();
    },
  );

  test('sends what was not added once more under the same id', async () => {
    const redis = startShared();
    const ids: string[] = [];
    let answers = false;
    const { limiter } = limiterOver({
      ...redis.shared,
      add: async (slot, id, changes, nowMs) => {
        if (changes.length > 0) ids.push(id);
        await redis.shared.add(slot, id, changes, nowMs);
        if (!answers) throw new StoreUnavailable('timeout'); // applied, but nobody knows
      },
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(await grantsOf(limiter, requests(10), 3)).toBe(3);
    await vi.advanceTimersByTimeAsync(2 * RETRY_MS);
    answers = true;
    await vi.advanceTimersByTimeAsync(RETRY_MS);
    expect(new Set(ids).size).toBe(1);
    expect(redis.used()).toBe(3);
    await limiter.close();
  });

  test('leaves out what was counted in a window that is over', async () => {
    const redis = startShared();
    const { limiter } = limiterOver(redis.shared);
    await vi.advanceTimersByTimeAsync(0);
    redis.fail('refused');
    expect(await grantsOf(limiter, requests(10, { window: 'rps' }), 3)).toBe(3);
    await vi.advanceTimersByTimeAsync(2_000);
    redis.fail(undefined);
    await vi.advanceTimersByTimeAsync(RETRY_MS);
    expect([limiter.state().counted, redis.used()]).toEqual(['shared', 0]);
    await limiter.close();
  });
});
