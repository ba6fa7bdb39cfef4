/** What every limiter does, wherever its counters are. A new one is a row of VARIANTS in variants.ts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Demand,
  type Denial,
  type Limiter,
  type LimitWindow,
  type Reservation,
  WINDOW_MS,
} from '../../../gateway/src/limits/index.ts';
import { HOLD_MS, VARIANTS } from './variants.ts';

const START = Date.UTC(2026, 0, 1); // midnight, so that windows up to a day begin here
const MINUTE = WINDOW_MS.rpm;

const requests = (limit: number, over: Partial<Demand> = {}): Demand => ({
  subject: 'key/team/a',
  slot: 'team',
  unit: 'requests',
  window: 'rpm',
  limit,
  cost: 1,
  ...over,
});
const tokens = (limit: number, cost: number, over: Partial<Demand> = {}): Demand =>
  requests(limit, { unit: 'tokens', cost, estimated: true, ...over });

function granted(result: Reservation | Denial): Reservation {
  if (!result.allowed) throw new Error(`denied: ${JSON.stringify(result)}`);
  return result;
}

/** The units that are left in the window of the demand: what a demand may cost at most. */
async function left(limiter: Limiter, demand: Demand, nowMs: number): Promise<number> {
  let [fits, tooMuch] = [0, demand.limit + 1];
  while (tooMuch - fits > 1) {
    const cost = Math.floor((fits + tooMuch) / 2);
    if ((await limiter.ask([{ ...demand, cost }], nowMs)).allowed) fits = cost;
    else tooMuch = cost;
  }
  return fits;
}

describe.for(VARIANTS.filter(({ available }) => available))('a limiter: $name', ({ open, openBeside }) => {
  test('grants as much as a window admits and says when the window ends', async () => {
    const limiter = await open();
    const demand = requests(2);
    for (const ms of [1, 2]) expect(await limiter.reserve([demand], START + ms)).toMatchObject({ allowed: true });
    const denied = { allowed: false, demand, remaining: 0, retryAfterMs: 45_000 };
    expect(await limiter.reserve([demand], START + 15_000)).toEqual(denied);
    expect(await limiter.reserve([demand], START + MINUTE - 1)).toMatchObject({ retryAfterMs: 1 });
    expect(await limiter.reserve([demand], START + MINUTE)).toMatchObject({ allowed: true });
  });

  test.for(Object.entries(WINDOW_MS) as [LimitWindow, number][])(
    'aligns the windows of %s to the epoch',
    async ([window, size]) => {
      const limiter = await open();
      const demand = requests(1, { window });
      const middle = Math.floor(START / size) * size + size / 2;
      await limiter.reserve([demand], middle);
      expect(await limiter.reserve([demand], middle + size / 2 - 1)).toMatchObject({ allowed: false, retryAfterMs: 1 });
      expect(await limiter.reserve([demand], middle + size / 2)).toMatchObject({ allowed: true });
    },
  );

  test('takes nothing when it only asks, and gives the verdict of reserve', async () => {
    const limiter = await open();
    const demand = requests(1);
    for (let i = 0; i < 5; i += 1) expect(await limiter.ask([demand], START)).toEqual({ allowed: true });
    await limiter.reserve([demand], START);
    expect(await limiter.ask([demand], START)).toEqual(await limiter.reserve([demand], START));
  });

  test('takes nothing of any limit when one of them denies', async () => {
    const limiter = await open();
    const [perMinute, perHour] = [requests(1), requests(3, { window: 'rph' })];
    granted(await limiter.reserve([perMinute, perHour], START));
    for (let i = 0; i < 50; i += 1) {
      expect(await limiter.reserve([perHour, perMinute], START + i)).toMatchObject({ demand: perMinute });
    }
    expect(await left(limiter, perHour, START)).toBe(2);
  });

  test('counts subjects, units and windows apart', async () => {
    const limiter = await open();
    granted(await limiter.reserve([requests(1)], START));
    for (const over of [{ subject: 'key/team/b' }, { unit: 'tokens' }, { window: 'rph' }] as const) {
      granted(await limiter.reserve([requests(1, over)], START));
    }
    expect(await limiter.reserve([requests(1)], START)).toMatchObject({ allowed: false });
  });

  test('keeps the count when the value of a limit changes', async () => {
    const limiter = await open();
    for (let i = 0; i < 3; i += 1) granted(await limiter.reserve([requests(10)], START));
    expect(await limiter.ask([requests(3)], START)).toMatchObject({ allowed: false });
    expect(await left(limiter, requests(5), START)).toBe(2);
  });

  test('takes nothing of any owner when a limit of one of them denies', async () => {
    const limiter = await open();
    const owners = ['', 'team-a', 'team-b', 'team-c', 'team-d'].map((slot) =>
      requests(3, { slot, subject: `x/${slot}` }),
    );
    const full = requests(1, { slot: 'team-z', subject: 'x/z' });
    granted(await limiter.reserve([...owners, full], START));
    expect(await limiter.reserve([...owners, full], START)).toMatchObject({ allowed: false, demand: full });
    for (const demand of owners) expect(await left(limiter, demand, START)).toBe(2);
    const { windows } = granted(await limiter.reserve(owners.with(1, requests(9, { slot: 'team-e' })), START));
    expect(windows.map(({ remaining }) => remaining)).toEqual([1, 8, 1, 1, 1]);
  });

  test('takes the largest cost once from a counter that several demands share', async () => {
    const limiter = await open();
    const [narrow, wide] = [requests(5, { cost: 2 }), requests(10, { cost: 3 })];
    granted(await limiter.reserve([narrow, wide], START));
    expect(await left(limiter, wide, START)).toBe(7);
    expect(await limiter.reserve([wide, { ...narrow, cost: 3 }], START)).toMatchObject({ demand: { limit: 5 } });
  });

  test('grants what demands nothing, and denies a cost that is no positive whole number', async () => {
    const limiter = await open();
    granted(await limiter.reserve([], START));
    for (const cost of [0, -1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(await limiter.reserve([requests(10, { cost })], START)).toMatchObject({ allowed: false });
    }
    expect(await left(limiter, requests(10), START)).toBe(10);
  });

  test('says what each window has left and when it ends', async () => {
    const limiter = await open();
    const demands = [requests(10), tokens(100, 30, { window: 'rph' })];
    const { windows } = granted(await limiter.reserve(demands, START + 15_000));
    expect(windows).toMatchObject([
      { remaining: 9, resetMs: 45_000 },
      { remaining: 70, resetMs: 3_585_000 },
    ]);
    expect(await limiter.reserve([tokens(100, 71, { window: 'rph' })], START)).toMatchObject({ remaining: 70 });
  });

  test('takes nothing for a demand that only must have room', async () => {
    const limiter = await open();
    const room = tokens(100, 40, { takes: false });
    const first = granted(await limiter.reserve([requests(10), room], START));
    expect(first.windows).toMatchObject([{ remaining: 9 }, { remaining: 100 }]);
    await first.settle([1, 80], START);
    expect(await left(limiter, tokens(100, 1), START)).toBe(100);
    granted(await limiter.reserve([tokens(100, 61)], START));
    expect(await limiter.reserve([requests(10), room], START)).toMatchObject({ allowed: false, demand: room });
    expect(await left(limiter, requests(10), START)).toBe(9);
  });

  test('denies a cost above the limit in an empty window', async () => {
    const limiter = await open();
    expect(await limiter.reserve([tokens(100, 101)], START)).toMatchObject({ allowed: false, retryAfterMs: MINUTE });
  });

  test('corrects a reservation to what was used, also beyond the limit', async () => {
    const limiter = await open();
    const less = granted(await limiter.reserve([tokens(100, 60)], START));
    await less.settle([10], START);
    expect(await left(limiter, tokens(100, 1), START)).toBe(90);
    const more = granted(await limiter.reserve([tokens(100, 1)], START));
    await more.settle([500], START);
    expect(await limiter.ask([tokens(100, 1)], START)).toMatchObject({ allowed: false });
    expect(await left(limiter, tokens(100, 1), START + MINUTE)).toBe(100);
  });

  test('settles the demands in their order', async () => {
    const limiter = await open();
    const demands = [requests(10), tokens(100, 50), tokens(1_000, 50, { window: 'rph' })];
    await granted(await limiter.reserve(demands, START)).settle([1, 20, 30], START);
    const remaining = [];
    for (const demand of demands) remaining.push(await left(limiter, demand, START));
    expect(remaining).toEqual([9, 80, 970]);
  });

  test('keeps the reserved cost when the actual one is missing or no count', async () => {
    const limiter = await open();
    for (const actual of [[], [-1], [1.5], [Number.NaN], [Number.POSITIVE_INFINITY]]) {
      await granted(await limiter.reserve([tokens(100, 10)], START)).settle(actual, START);
    }
    expect(await left(limiter, tokens(100, 1), START)).toBe(50);
  });

  test('returns everything at a release', async () => {
    const limiter = await open();
    const demands = [requests(1), tokens(100, 100)];
    await granted(await limiter.reserve(demands, START)).release();
    expect(await limiter.ask(demands, START)).toEqual({ allowed: true });
  });

  test('ends a reservation once', async () => {
    const limiter = await open();
    const demand = tokens(100, 10);
    const settled = granted(await limiter.reserve([demand], START));
    await settled.settle([20], START);
    await settled.settle([90], START);
    await settled.release();
    expect(await left(limiter, demand, START)).toBe(80);
    const released = granted(await limiter.reserve([demand], START));
    await released.release();
    await released.release();
    await released.settle([50], START);
    expect(await left(limiter, demand, START)).toBe(80);
  });

  test('counts what exceeds the reservation where it is settled, and returns the rest where it was reserved', async () => {
    const limiter = await open();
    const demand = tokens(100, 10);
    const [more, less] = [
      granted(await limiter.reserve([demand], START)),
      granted(await limiter.reserve([demand], START)),
    ];
    await more.settle([40], START + MINUTE);
    await less.settle([0], START + MINUTE);
    expect(await left(limiter, demand, START + MINUTE)).toBe(70);
  });

  test('returns an estimate that was not settled within the hold time, and counts it in full when it is settled late', async () => {
    const limiter = await open();
    const hour = { window: 'rph' } as const;
    const demands = [requests(10, hour), tokens(100, 80, hour)];
    const forgotten = granted(await limiter.reserve(demands, START));
    expect(await left(limiter, tokens(100, 1, hour), START + HOLD_MS - 1)).toBe(20);
    expect(await left(limiter, tokens(100, 1, hour), START + HOLD_MS)).toBe(100);
    expect(await left(limiter, requests(10, hour), START + HOLD_MS)).toBe(9);
    await forgotten.settle([1, 30], START + HOLD_MS);
    expect(await left(limiter, tokens(100, 1, hour), START + HOLD_MS)).toBe(70);
  });

  test('never grants more than its value in a window, and as much when enough is asked for', async () => {
    const input = fc.record({
      limit: fc.integer({ min: 1, max: 20 }),
      steps: fc.array(fc.record({ wait: fc.integer({ min: 0, max: 20_000 }), cost: fc.integer({ min: 1, max: 6 }) }), {
        maxLength: 40,
      }),
    });
    await fc.assert(
      fc.asyncProperty(input, async ({ limit, steps }) => {
        const limiter = await open();
        const used = new Map<number, number>();
        let now = START;
        for (const { wait, cost } of steps) {
          now += wait;
          const window = Math.floor(now / MINUTE);
          const before = used.get(window) ?? 0;
          const { allowed } = await limiter.reserve([requests(limit, { cost })], now);
          expect(allowed).toBe(before + cost <= limit);
          if (allowed) used.set(window, before + cost);
        }
      }),
    );
  });

  test('has left what settled and open reservations do not use, whatever their order', async () => {
    const LIMIT = 1_000;
    const step = fc.record({
      cost: fc.integer({ min: 1, max: 60 }),
      actual: fc.integer({ min: 0, max: 60 }),
      end: fc.constantFrom('settle', 'release', 'open'),
      later: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 16 }), async (steps) => {
        const limiter = await open();
        const later: (() => void | Promise<void>)[] = [];
        let used = 0;
        for (const { cost, actual, end, later: waits } of steps) {
          const reservation = granted(await limiter.reserve([tokens(LIMIT, cost)], START));
          const finish = (): void | Promise<void> => {
            if (end === 'settle') return reservation.settle([actual], START);
            if (end === 'release') return reservation.release();
          };
          if (waits) later.unshift(finish);
          else await finish();
          used += { settle: actual, release: 0, open: cost }[end];
        }
        for (const finish of later) await finish();
        expect(await left(limiter, tokens(LIMIT, 1), START)).toBe(LIMIT - used);
      }),
    );
  });

  test('admits to a limit once what many reserve at the same time', async () => {
    const limiter = await open();
    const results = await Promise.all(Array.from({ length: 50 }, () => limiter.reserve([requests(20)], START)));
    expect(results.filter(({ allowed }) => allowed)).toHaveLength(20);
  });

  test.runIf(openBeside)('admits to a limit once what several processes reserve at the same time', async () => {
    const limiters = [await open(), await openBeside?.(), await openBeside?.()].flatMap((limiter) => limiter ?? []);
    const demands = [requests(40), tokens(1_000, 3), requests(1_000, { slot: '', subject: 'policy/all' })];
    const results = await Promise.all(
      Array.from({ length: 90 }, (_, i) => limiters[i % limiters.length]?.reserve(demands, START)),
    );
    expect(results.filter((result) => result?.allowed)).toHaveLength(40);
    for (const result of results) if (result?.allowed) await result.settle([1, 5, 1], START);
    for (const limiter of limiters) expect(await left(limiter, tokens(1_000, 1), START)).toBe(800);
  });
});
