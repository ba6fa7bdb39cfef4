/** One look at Redis, before anything depends on it. */
import { probeRedis, readEnvironment, toSettings } from '@gatehouse/gateway';
import { expect, test } from 'vitest';
import { startRedis } from '../../kit/redis.ts';

function probe(url: string): ReturnType<typeof probeRedis> {
  const { redis } = toSettings(readEnvironment({ REDIS_URL: url }));
  if (redis === undefined) throw new Error('no Redis in the settings');
  return probeRedis(redis);
}

test('a server that answers is found, and its password is checked', async () => {
  await using redis = await startRedis({ password: 'secret-of-tests' });
  expect(await probe(redis.url)).toEqual({ ok: true, value: undefined });
  const refused = await probe(redis.url.replace('secret-of-tests', 'another-secret'));
  expect(refused).toEqual({ ok: false, error: expect.stringMatching(/WRONGPASS|invalid/) });
  expect(JSON.stringify(refused)).not.toContain('another-secret');
});

test('a server that has stopped is named as it is', async () => {
  const redis = await startRedis();
  await redis[Symbol.asyncDispose]();
  expect(await probe(redis.url)).toEqual({ ok: false, error: expect.stringContaining('ECONNREFUSED') });
});
