/** What is special about state in the parent; what all limiters and stores do is in test/conformance. */
import { setImmediate as turn } from 'node:timers/promises';
import { createConcurrency, createMemoryLimiter, type Demand, type Leave, type SharedState } from '@gatehouse/gateway';
import { describe, expect, test } from 'vitest';
import { type Call, createStateClient, createStateServer } from './index.ts';

const unused = undefined as never; // stores that a test does not touch
const stateOf = (given: Partial<SharedState>): SharedState => ({
  limiter: createMemoryLimiter(),
  budgetStore: unused,
  concurrency: createConcurrency(2),
  states: unused,
  circuits: unused,
  answers: unused,
  ...given,
});

/** A worker of the parent; `sent` has the calls of each message. */
function connect(server: ReturnType<typeof createStateServer>, max = 2) {
  const connection = server.connect();
  const sent: (readonly Call[])[] = [];
  const client = createStateClient({
    maxConcurrentPerKey: max,
    processes: 2,
    timeoutMs: 60_000,
    send: async (calls) => {
      sent.push(calls);
      client.receive(await connection.execute(calls));
    },
  });
  return { ...client.state, sent, crash: connection.close };
}

const demand = (limit: number): Demand => ({
  subject: 'key/a',
  slot: '',
  unit: 'requests',
  window: 'rpd',
  limit,
  cost: 1,
});
const NOW = Date.UTC(2026, 0, 1);

describe('state of the parent', () => {
  test('counts the requests of all workers', async () => {
    const server = createStateServer(stateOf({}));
    const workers = [connect(server), connect(server), connect(server)];
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, i) => workers[i % 3]?.limiter.reserve([demand(20)], NOW)),
    );
    expect(results.filter((result) => result?.allowed)).toHaveLength(20);
  });

  test('gives no slot to a worker whose calls arrive after its end', async () => {
    const server = createStateServer(stateOf({}));
    const [ended, living] = [server.connect(), connect(server)];
    ended.close();
    expect(await ended.execute([{ id: 1, name: 'enter', args: ['a', 2], awaited: true }])).toEqual([]);
    expect(await living.concurrency.enter('a')).toBeDefined();
  });

  test('travels with all calls of one turn', async () => {
    const { limiter, sent } = connect(createStateServer(stateOf({})));
    await Promise.all(Array.from({ length: 10 }, () => limiter.reserve([demand(20)], NOW)));
    expect(sent.map((calls) => calls.length)).toEqual([10]);
  });

  test('bounds the requests in flight of a key over all workers, and takes back those of one that ended', async () => {
    const server = createStateServer(stateOf({}));
    const [one, two] = [connect(server), connect(server)];
    await one.concurrency.enter('a');
    const leave = await two.concurrency.enter('a');
    expect(await two.concurrency.enter('a')).toBeUndefined();
    leave?.();
    leave?.();
    expect(await two.concurrency.enter('a')).toBeDefined();
    expect(await two.concurrency.enter('a')).toBeUndefined();
    one.crash();
    expect(await two.concurrency.enter('a')).toBeDefined();
    expect(await two.concurrency.enter('a')).toBeUndefined();
  });

  test('lends slots in advance, of which those without need are 2 % of the bound at most', async () => {
    const concurrency = createConcurrency(1_000);
    const server = createStateServer(stateOf({ concurrency }));
    const [one, two] = [connect(server, 1_000), connect(server, 1_000)];
    const inFlight: (Leave | undefined)[] = [];
    for (let i = 0; i < 300; i += 1) inFlight.push(await one.concurrency.enter('a'), await two.concurrency.enter('a'));
    const calls = [...one.sent, ...two.sent].flat().length;
    expect(calls).toBeLessThan(600 / 10 + 1);
    let more = 0;
    while ((await two.concurrency.enter('a')) !== undefined) more += 1;
    expect(600 + more).toBeGreaterThanOrEqual(980);
    expect(600 + more).toBeLessThanOrEqual(1_000);
    for (const leave of inFlight) leave?.();
    one.crash();
    two.crash();
    expect(Array.from({ length: 1_001 }, () => concurrency.enter('a')).filter(Boolean)).toHaveLength(1_000);
  });

  test('of a store that fails is a rejection, not an end', async () => {
    const states = { get: () => Promise.reject(new Error('broken')) } as unknown as SharedState['states'];
    const { states: there } = connect(createStateServer(stateOf({ states })));
    await expect(there.get('a')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', reason: 'failed' });
  });
});

describe('a worker whose parent does not answer', () => {
  /** `sent` has all calls so far. */
  const alone = (maxCalls = 100) => {
    const sent: Call[] = [];
    const client = createStateClient({
      maxConcurrentPerKey: 2,
      processes: 2,
      timeoutMs: 1,
      maxCalls,
      send: (calls) => sent.push(...calls),
    });
    return { ...client.state, sent, receive: client.receive };
  };

  test('counts requests alone', async () => {
    const { limiter } = alone();
    const results = [];
    for (let i = 0; i < 6; i += 1) results.push((await limiter.reserve([demand(3)], NOW)).allowed);
    expect(results).toEqual([true, true, true, false, false, false]);
  });

  test('bounds the requests in flight of a key alone', async () => {
    const { concurrency } = alone();
    const entered = [await concurrency.enter('a'), await concurrency.enter('a'), await concurrency.enter('a')];
    expect(entered.map((leave) => leave !== undefined)).toEqual([true, true, false]);
  });

  test('takes back the estimates of a worker that ended, and keeps what was counted exactly', async () => {
    const server = createStateServer(stateOf({}));
    const [one, two] = [connect(server), connect(server)];
    const tokens: Demand = { ...demand(100), unit: 'tokens', cost: 60, estimated: true };
    await one.limiter.reserve([tokens, demand(2)], NOW);
    expect(await two.limiter.reserve([tokens], NOW)).toMatchObject({ allowed: false, remaining: 40 });
    one.crash();
    expect(await two.limiter.reserve([tokens, demand(2)], NOW)).toMatchObject({
      allowed: true,
      windows: [{ remaining: 40 }, { remaining: 0 }],
    });
  });

  test('returns what is granted too late', async () => {
    const connection = createStateServer(stateOf({})).connect();
    const sent: (readonly Call[])[] = [];
    const client = createStateClient({
      ...{ maxConcurrentPerKey: 2, processes: 2, timeoutMs: 1 },
      send: (calls) => void sent.push(calls),
    });
    const alone = await client.state.limiter.reserve([demand(1)], NOW);
    expect(alone.allowed).toBe(true);
    await turn(); // the time may be over before the call leaves
    for (const calls of sent.splice(0)) client.receive(await connection.execute(calls));
    await turn();
    expect(sent).toMatchObject([[{ name: 'release' }]]);
    for (const calls of sent) await connection.execute(calls);
    const again: Call = { id: 100, name: 'reserve', args: [[demand(1)], NOW], awaited: true };
    expect(await connection.execute([again])).toMatchObject([{ value: { allowed: true } }]);
  });

  test('returns the slots that are granted too late', async () => {
    const { concurrency, sent, receive } = alone();
    await concurrency.enter('a');
    await turn(); // as above
    const [asked] = sent;
    receive([{ id: asked?.id ?? 0, ok: true, value: 3 }]);
    await turn();
    expect(sent.slice(1)).toMatchObject([{ name: 'leave', args: ['a', 3], awaited: false }]);
  });

  test('has sent a call before it is too late, however late the turn ends', async () => {
    const { states, sent } = alone();
    const asked = states.get('a');
    const until = performance.now() + 5;
    while (performance.now() < until);
    await expect(asked).rejects.toMatchObject({ reason: 'timeout' });
    expect(sent).toHaveLength(1);
  });

  test('refuses calls beyond those that may wait', async () => {
    const { states } = alone(2);
    const results = await Promise.allSettled([states.get('a'), states.get('b'), states.get('c')]);
    expect(results).toMatchObject([
      { reason: { reason: 'timeout' } },
      { reason: { reason: 'timeout' } },
      { reason: { reason: 'busy' } },
    ]);
  });

  test('holds a bounded number of bytes of answers', async () => {
    const { answers } = alone();
    const half = Buffer.alloc(9 * 1024 * 1024);
    const results = await Promise.allSettled([answers.set('a', half, 1), answers.set('b', half, 1)]);
    expect(results).toMatchObject([{ reason: { reason: 'timeout' } }, { reason: { reason: 'busy' } }]);
  });
});
