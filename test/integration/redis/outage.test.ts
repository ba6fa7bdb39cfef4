/** Redis stops and starts again under traffic: requests never fail and never wait for it. */
import { describe, expect, test } from 'vitest';
import { expectNothingLeft, startWorld, type World } from '../../kit/gateway.ts';
import { type RedisServer, startRedis } from '../../kit/redis.ts';
import { config } from '../../kit/snapshot.ts';
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
