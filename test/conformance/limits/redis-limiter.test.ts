/** What only the limiter in Redis does; what every limiter does is in limiter.test.ts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createMemoryLimiter,
  createRedisLimiter,
  type Demand,
  type Denial,
  type RedisLimiterOptions,
  type Reservation,
} from '../../../gateway/src/limits/index.ts';
import { StoreUnavailable } from '../../../gateway/src/store/index.ts';
import { hasRedis } from '../../kit/redis.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { type OpenRedis, openRedis } from '../stores/harness.ts';

const requests = (limit: number, over: Partial<Demand> = {}): Demand => ({
  subject: 'key/team/a',
  slot: 'team',
  unit: 'requests',
  window: 'rpw',
  limit,
  cost: 1,
  ...over,
});
const tokens = (limit: number, cost: number): Demand => requests(limit, { unit: 'tokens', cost, estimated: true });

const START = Date.UTC(2026, 0, 5);

function limiterOn({ connection }: OpenRedis, options: Partial<RedisLimiterOptions> = {}) {
  return createRedisLimiter({ connection, clock: 'callers', ...options });
}

function granted(result: Reservation | Denial): Reservation {
  if (!result.allowed) throw new Error(`denied: ${JSON.stringify(result)}`);
  return result;
}

async function left(limiter: ReturnType<typeof createRedisLimiter>, demand: Demand, nowMs: number): Promise<number> {
  const asked = await limiter.reserve([{ ...demand, takes: false, cost: 1 }], nowMs);
  return asked.allowed ? (asked.windows[0]?.remaining ?? Number.NaN) : asked.remaining;
}

/** Commands that clients have sent, without those that scripts and this question cause. */
async function commandsSent({ connection }: OpenRedis): Promise<number> {
  const stats = await connection.run((client) => client.info('commandstats'));
  const calls = [...stats.matchAll(/cmdstat_(eval|evalsha|script\|load):calls=(\d+)/g)].map(([, , count]) =>
    Number(count),
  );
  return calls.reduce((sum, count) => sum + count, 0);
}

describe.runIf(hasRedis())('a limiter in Redis', () => {
  test('asks Redis once for all demands, and not at all without a demand', async () => {
    await using redis = await openRedis();
    const limiter = limiterOn(redis);
    granted(await limiter.reserve([requests(10)], START)); // Redis knows the script from now on
    const before = await commandsSent(redis);
    const slots = ['', 'a', 'b', 'c'];
    granted(
      await limiter.reserve(
        slots.map((slot) => requests(10, { slot })),
        START,
      ),
    );
    expect(await commandsSent(redis)).toBe(before + 1);
    await granted(await limiter.reserve([], START)).settle([], START);
    await granted(await limiter.reserve([requests(10)], START)).settle([1], START); // as reserved: nothing to correct
    expect(await commandsSent(redis)).toBe(before + 2);
  });

  test('asks Redis once for what one turn of the event loop reserves and settles, and grants as many as fit', async () => {
    await using redis = await openRedis();
    const limiter = limiterOn(redis);
    const demands = [requests(30), tokens(100, 4), requests(1_000, { slot: '', subject: 'policy/all' })];
    const reserve = () => limiter.reserve(demands, START);
    const first = (await Promise.all(Array.from({ length: 20 }, reserve))).map(granted);
    const before = await commandsSent(redis);
    const settled = first.map((reservation) => reservation.settle([1, 3, 1], START));
    const second = await Promise.all([...Array.from({ length: 20 }, reserve), ...settled]);
    expect(await commandsSent(redis)).toBe(before + 1);
    expect(second.slice(0, 20).map((result) => result?.allowed)).toEqual(
      Array.from({ length: 20 }, (_, i) => i < 10), // 100 - 20 × 3 tokens are left, and 10 requests
    );
    expect(second[10]).toMatchObject({ allowed: false, demand: { unit: 'requests', limit: 30 }, remaining: 0 });
    expect(await left(limiter, tokens(100, 1), START)).toBe(0);
  });

  test('grants in one call what a limiter in memory grants one after the other', async () => {
    await using redis = await openRedis();
    const demand = fc.record({
      subject: fc.constantFrom('a', 'b', 'c'),
      limit: fc.integer({ min: 1, max: 40 }),
      cost: fc.integer({ min: 1, max: 12 }),
      kind: fc.constantFrom('cost', 'estimate', 'room'),
    });
    const input = fc.record({
      lists: fc.array(fc.array(demand, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
      order: fc.array(fc.nat(2), { maxLength: 20 }),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(input, async ({ lists, order }) => {
        run += 1;
        const asked = lists.map((list) =>
          list.map(({ kind, subject, ...own }) =>
            requests(own.limit, {
              ...{ subject: `${run}/${subject}`, cost: own.cost },
              ...(kind === 'room' ? { takes: false as const } : {}),
              ...(kind === 'estimate' ? { estimated: true as const } : {}),
            }),
          ),
        );
        const memory = createMemoryLimiter();
        const limiter = limiterOn(redis);
        const given = order.flatMap((i) => asked[i % asked.length] ?? []);
        const chosen = order.map((i) => asked[i % asked.length] ?? []);
        const results = await Promise.all(chosen.map((list) => limiter.reserve(list, START)));
        // Equal requests travel together, behind the first of them.
        const expected = new Map(
          [...new Set(chosen)].map((list) => [
            list,
            chosen.filter((other) => other === list).filter(() => memory.reserve(list, START).allowed).length,
          ]),
        );
        for (const [list, count] of expected) {
          expect(results.filter((result, i) => chosen[i] === list && result.allowed)).toHaveLength(count);
        }
        for (const { subject } of given) {
          const room = requests(1_000, { subject });
          const asks = memory.reserve([{ ...room, takes: false }], START) as Reservation;
          expect(await left(limiter, room, START)).toBe(asks.windows[0]?.remaining);
        }
        await limiter.close();
      }),
      { numRuns: 60 },
    );
  });

  test('follows the clock of Redis, not those of the gateways', async () => {
    await using redis = await openRedis();
    const [one, other] = [limiterOn(redis, { clock: 'redis' }), limiterOn(redis, { clock: 'redis' })];
    const day = 86_400_000;
    granted(await one.reserve([requests(2)], Date.now() - 30 * day));
    granted(await other.reserve([requests(2)], Date.now() + 30 * day));
    const denied = await one.reserve([requests(2)], 0);
    expect(denied).toMatchObject({ allowed: false, remaining: 0 });
    expect((denied as Denial).retryAfterMs).toBeLessThanOrEqual(7 * day);
  });

  test('keeps the window when the clock goes back, as it may with another master', async () => {
    await using redis = await openRedis();
    const limiter = limiterOn(redis);
    const minute = requests(1, { window: 'rpm' });
    granted(await limiter.reserve([minute], START + 60_000));
    expect(await limiter.reserve([minute], START + 59_000)).toMatchObject({ allowed: false, retryAfterMs: 61_000 });
  });

  test('keeps a counter for three windows', async () => {
    await using redis = await openRedis();
    const limiter = limiterOn(redis, { clock: 'redis' });
    granted(await limiter.reserve([requests(10, { window: 'rpm' })], START));
    const [key = ''] = await redis.connection.run((client) => client.keys('*'));
    const ttl = await redis.connection.run((client) => client.pttl(key));
    expect(ttl).toBeGreaterThan(120_000);
    expect(ttl).toBeLessThanOrEqual(180_000);
  });

  test('counts exactly as far as numbers of scripts are exact', async () => {
    await using redis = await openRedis();
    const limiter = limiterOn(redis);
    const most = Number.MAX_SAFE_INTEGER;
    await granted(await limiter.reserve([tokens(most, 1)], START)).settle([most - 1], START);
    expect(await left(limiter, tokens(most, 1), START)).toBe(1);
    granted(await limiter.reserve([tokens(most, 1)], START));
    expect(await limiter.reserve([tokens(most, 1)], START)).toMatchObject({ allowed: false, remaining: 0 });
    const over = granted(await limiter.reserve([requests(most)], START));
    await over.settle([most], START);
    await granted(await limiter.reserve([requests(most, { window: 'rpd' })], START)).settle([most], START);
    expect(await left(limiter, requests(most), START)).toBe(0);
  });

  test('returns the estimates of a process that has ended, and counts what it settles afterwards in full', async () => {
    await using redis = await openRedis();
    const [gone, other] = [limiterOn(redis, { leaseMs: 10_000 }), limiterOn(redis)];
    const late = granted(await gone.reserve([tokens(100, 60)], START));
    expect(await left(other, tokens(100, 1), START + 9_999)).toBe(40);
    expect(await left(other, tokens(100, 1), START + 10_000)).toBe(100);
    granted(await gone.reserve([tokens(100, 20)], START + 10_000)); // a lease of its own
    await late.settle([30], START + 10_000);
    expect(await left(other, tokens(100, 1), START + 10_000)).toBe(50);
    await gone.close();
  });

  test('has told what was settled in its last turn when it is closed', async () => {
    await using redis = await openRedis();
    let isOpen = true;
    const run: typeof redis.connection.run = (commands, timeoutMs) =>
      isOpen ? redis.connection.run(commands, timeoutMs) : Promise.reject(new StoreUnavailable('disconnected'));
    const connection = { ...redis.connection, run };
    const [ending, other] = [limiterOn({ ...redis, connection }), limiterOn(redis)];
    const reservation = granted(await ending.reserve([tokens(100, 10)], START));
    void reservation.settle([70], START);
    await ending.close();
    isOpen = false;
    expect(await left(other, tokens(100, 1), START + 600_000)).toBe(30);
  });

  test('renews the leases of open estimates', async () => {
    await using redis = await openRedis();
    const [holder, other] = [
      limiterOn(redis, { clock: 'redis', leaseMs: 1_500 }),
      limiterOn(redis, { clock: 'redis' }),
    ];
    granted(await holder.reserve([tokens(100, 60)], Date.now()));
    const [key = ''] = await redis.connection.run((client) => client.keys('*'));
    const leaseEnd = async (): Promise<number> => {
      const fields = await redis.connection.run((client) => client.hgetall(key));
      const [, lease = ''] = Object.entries(fields).find(([name]) => name.startsWith('l:')) ?? [];
      return Number(lease.split(':')[1]);
    };
    const first = await leaseEnd();
    await waitFor(async () => (await leaseEnd()) > first, { what: 'the lease is renewed' });
    expect(await left(other, tokens(100, 1), START)).toBe(40);
    await holder.close();
    await waitFor(async () => (await left(other, tokens(100, 1), START)) === 100, { what: 'the lease has ended' });
  });

  test('settles after an outage what it could not settle during it', async () => {
    await using redis = await openRedis();
    const errors: unknown[] = [];
    const limiter = limiterOn(redis, { leaseMs: 600_000, onError: (error) => errors.push(error) });
    const [first, second] = [
      granted(await limiter.reserve([tokens(100, 10)], START)),
      granted(await limiter.reserve([tokens(100, 10)], START)),
    ];
    const set = (name: string, value: string) => redis.connection.run((client) => client.config('SET', name, value));
    await set('min-replicas-to-write', '1'); // from now on writes are refused
    await first.settle([25], START);
    await second.release();
    expect(errors).toMatchObject([{ reason: 'refused' }, { reason: 'refused' }]);
    await set('min-replicas-to-write', '0');
    await redis.server.dropClients();
    await waitFor(async () => (await left(limiter, tokens(100, 1), START).catch(() => 0)) >= 75, { what: 'settled' });
    expect(await left(limiter, tokens(100, 1), START)).toBe(75);
  });

  test('returns what Redis grants after the wait was given up', async () => {
    await using redis = await openRedis();
    const limiter = limiterOn(redis, { timeoutMs: 30 });
    const patient = limiterOn(redis);
    granted(await patient.reserve([requests(10)], START));
    redis.server.freeze();
    await expect(limiter.reserve([requests(10)], START)).rejects.toMatchObject({ reason: 'timeout' });
    redis.server.thaw();
    await waitFor(async () => (await left(patient, requests(10), START)) === 9, { what: 'the grant is returned' });
  });

  test('counts on in full after Redis was emptied', async () => {
    await using redis = await openRedis();
    const limiter = limiterOn(redis);
    const [estimate, exact] = [
      granted(await limiter.reserve([tokens(100, 50)], START)),
      granted(await limiter.reserve([requests(10)], START)),
    ];
    await redis.connection.run((client) => client.flushall());
    await estimate.settle([30], START);
    await exact.release();
    expect([await left(limiter, tokens(100, 1), START), await left(limiter, requests(10), START)]).toEqual([70, 10]);
  });

  test('adds what was counted elsewhere once, and to its own window alone', async () => {
    await using redis = await openRedis();
    const limiter = limiterOn(redis);
    const counter = requests(100, { window: 'rpm' });
    granted(await limiter.reserve([counter], START));
    const change = { counter, startMs: START, units: 30 };
    await limiter.add('team', 'a', [change], START);
    await limiter.add('team', 'a', [change], START);
    await limiter.add('team', 'b', [{ ...change, startMs: START - 60_000 }], START);
    await limiter.add('team', 'c', [{ ...change, units: -10 }], START);
    expect(await left(limiter, counter, START)).toBe(79);
  });

  test('keeps keys short whatever a subject contains', async () => {
    await using redis = await openRedis();
    const limiter = limiterOn(redis);
    const [one, other] = ['a', 'b'].map((end) => requests(1, { subject: `policy/${'x'.repeat(10_000)}${end}` }));
    if (one === undefined || other === undefined) throw new Error('two demands');
    granted(await limiter.reserve([one], START));
    granted(await limiter.reserve([other], START));
    expect((await limiter.reserve([one], START)).allowed).toBe(false);
    const keys = await redis.connection.run((client) => client.keys('*'));
    expect(keys.filter((key) => key.length > 300)).toEqual([]);
  });
});
