/** Redis stops and starts again under traffic: requests never fail and never wait for it. */
import { describe, expect, test } from 'vitest';
import { expectNothingLeft, startWorld, type World } from '../../kit/gateway.ts';
import { send } from '../../kit/http.ts';
import { type RedisServer, startRedis } from '../../kit/redis.ts';
import { config, key } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';

const start = (redis: Pick<RedisServer, 'url'>): Promise<World> =>
  startWorld({
    env: { REDIS_URL: redis.url },
    entries: () => [
      config('all', {
        cache: { mode: 'simple' },
        strategy: {
          mode: 'loadbalance',
          sticky: { enabled: true, hash_fields: ['metadata.u'] },
          cb_config: { failure_threshold: 2, cooldown_interval: 30_000 },
        },
        targets: [{ provider: '@openai' }, { provider: '@openai', override_params: { seed: 1 } }],
      }),
    ],
  });

let questions = 0;
const ask = (world: World, question?: string) => {
  questions += 1;
  return world.send('/v1/chat/completions', {
    headers: { 'x-gw-config': 'all', 'x-gw-metadata': `{"u":"${questions % 5}"}` },
    body: { model: 'mock-small', messages: [{ role: 'user', content: question ?? `q${questions}` }] },
  });
};
const cacheStatus = async (world: World, question?: string) =>
  (await ask(world, question)).headers['x-gw-cache-status'];

describe('Redis', () => {
  test('that stops and starts again fails no request, and is used again', async () => {
    await using redis = await startRedis();
    await using world = await start(redis);
    await waitFor(async () => (await cacheStatus(world)) === 'MISS');
    let running = true;
    const results: number[] = [];
    const lanes = Array.from({ length: 4 }, async () => {
      while (running) results.push((await ask(world)).status);
    });
    const more = async (): Promise<void> => {
      const before = results.length;
      await waitFor(() => results.length > before + 40);
    };
    await more();
    await redis.stop();
    await more();
    expect(await world.metric('gatehouse_store_errors_total')).toBeGreaterThan(0);
    expect(await cacheStatus(world)).toBeUndefined(); // no lookup, so no status
    await redis.start();
    await waitFor(async () => (await cacheStatus(world)) === 'MISS', { what: 'Redis is used again' });
    await more();
    running = false;
    await Promise.all(lanes);
    expect(new Set(results)).toEqual(new Set([200]));
    await expectNothingLeft(world);
  });

  test('that hangs delays no request', async () => {
    await using redis = await startRedis();
    await using world = await start(redis);
    await waitFor(async () => (await cacheStatus(world)) === 'MISS');
    redis.freeze();
    for (let i = 0; i < 20; i += 1) expect((await ask(world)).status).toBe(200);
    await expectNothingLeft(world);
    redis.thaw();
    await waitFor(async () => (await cacheStatus(world)) === 'MISS', { what: 'Redis is used again' });
  });

  test('that is not there when the gateway starts is no reason not to start', async () => {
    await using redis = await startRedis();
    await redis.stop();
    await using world = await start(redis);
    expect((await ask(world)).status).toBe(200);
    await redis.start();
    await waitFor(async () => (await cacheStatus(world)) === 'MISS', { what: 'Redis is used' });
    await waitFor(async () => (await cacheStatus(world, 'the same')) === 'HIT');
  });

  test('shares answers between gateways', async () => {
    await using redis = await startRedis();
    await using first = await start(redis);
    await using second = await start(redis);
    await waitFor(async () => (await cacheStatus(first)) === 'MISS');
    await waitFor(async () => (await cacheStatus(second)) === 'MISS');
    // Both gateways stand before mocks of their own, and the URL is part of the key: a config with one host for both.
    const shared = async (world: World) =>
      world.send('/v1/chat/completions', {
        headers: {
          'x-gw-config': JSON.stringify({
            provider: 'openai',
            api_key: 'x',
            custom_host: `${first.mock.url}/v1`,
            cache: 'simple',
          }),
        },
        body: { model: 'mock-small', messages: [{ role: 'user', content: 'shared' }] },
      });
    expect((await shared(first)).headers['x-gw-cache-status']).toBe('MISS');
    await waitFor(async () => (await shared(second)).headers['x-gw-cache-status'] === 'HIT');
  });
});

describe('the metrics', () => {
  test('tell whether budgets are counted with other gateways', async () => {
    await using redis = await startRedis();
    await using world = await startWorld({
      env: { REDIS_URL: redis.url },
      entries: () => [key({ usageLimits: [{ name: 'main', type: 'tokens', limit: 100_000 }] })],
    });
    const spend = () => world.send('/v1/chat/completions', { headers: { 'x-gw-provider': '@openai' }, body: BODY });
    const becomes = (value: number) =>
      waitFor(
        async () => {
          expect((await spend()).status).toBe(200);
          return (await world.metric('gatehouse_budgets_shared')) === value;
        },
        { what: `the value ${value}` },
      );
    await becomes(1);
    await redis.stop();
    await becomes(0);
    await redis.start();
    await becomes(1);
  });
});

const BODY = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };

describe('the admin port', () => {
  const stateOf = async (world: World, query: string) =>
    (await send(`${world.adminUrl}/internal/snapshot?epoch=0&${query}`)).json();
  const known = (world: World) =>
    waitFor(async () => {
      const answer = await stateOf(world, 'wait=1');
      return answer.limits?.counted === 'shared' && answer.limits.store !== undefined ? answer : undefined;
    });

  test('tells which Redis counts limits: the same for gateways that share one', async () => {
    await using redis = await startRedis();
    await using elsewhere = await startRedis();
    await using first = await start(redis);
    await using second = await start(redis);
    await using third = await start(elsewhere);
    const [one, two, three] = await Promise.all([first, second, third].map(known));
    expect(one.limits).toMatchObject({ counted: 'shared', store: two.limits.store });
    expect(three.limits.store).not.toBe(one.limits.store);
  });

  test('answers a long poll when the Redis goes away', async () => {
    await using redis = await startRedis();
    await using world = await start(redis);
    const { changes } = await known(world);
    const waiting = stateOf(world, `wait=2&changes=${changes}`);
    await redis.stop();
    expect(await waiting).toMatchObject({ version: 1, limits: { counted: 'local', reason: 'disconnected' } });
  });
});
