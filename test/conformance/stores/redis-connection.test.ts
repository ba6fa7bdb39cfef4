import { describe, expect, test } from 'vitest';
import { createRedisCacheStore, createResponseCache } from '../../../gateway/src/cache/index.ts';
import { Secret } from '../../../gateway/src/lib/secret.ts';
import {
  createRedisConnection,
  createRedisStateStore,
  createStoreBreaker,
  type RedisConnection,
  type RedisHealth,
  type RedisSettings,
} from '../../../gateway/src/store/index.ts';
import { hasRedis, startRedis } from '../../kit/redis.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { openRedis } from './harness.ts';

const unavailable = (reason: string) => expect.objectContaining({ code: 'STORE_UNAVAILABLE', reason });

function connectTo(port: number, over: Partial<RedisSettings> = {}): RedisConnection {
  return createRedisConnection({ nodes: [{ host: '127.0.0.1', port }], mode: 'standalone', ...over });
}

const ping = (connection: RedisConnection): Promise<unknown> => connection.run((client) => client.ping());

describe.runIf(hasRedis())('a Redis connection', () => {
  test('opens nothing before connect, and never waits', async () => {
    await using server = await startRedis();
    const connection = connectTo(server.port);
    expect(connection.health()).toBe('waiting');
    await expect(ping(connection)).rejects.toEqual(unavailable('disconnected'));
    await waitFor(() => connection.health() === 'ready');
    expect(await ping(connection)).toBe('PONG');
    await connection.close();
    expect(connection.health()).toBe('closed');
    await expect(ping(connection)).rejects.toEqual(unavailable('disconnected'));
  });

  test.for([{ cluster: false }, { cluster: true }])(
    'fails at once while the server is gone, and reconnects afterwards: cluster $cluster',
    async ({ cluster }) => {
      await using redis = await openRedis({ cluster });
      const { server, connection } = redis;
      const states = createRedisStateStore(connection);
      await states.set('a', 'one', 60);
      await server.stop();
      await waitFor(async () => (await outcomeOf(states.get('a'))) !== 'one' && connection.health() !== 'ready');
      for (let i = 0; i < 1_000; i += 1) {
        await expect(states.get('a')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', reason: 'disconnected' });
      }
      await server.start();
      await waitFor(async () => (await outcomeOf(states.set('a', 'two', 60))) === undefined);
      expect(await states.get('a')).toBe('two');
    },
  );

  test('recovers when the server was not there at the start', async () => {
    await using server = await startRedis();
    await server.stop();
    const connection = connectTo(server.port);
    connection.connect();
    await waitFor(() => connection.health() === 'down');
    await server.start();
    await waitFor(() => connection.health() === 'ready');
    expect(await ping(connection)).toBe('PONG');
    await connection.close();
  });

  test('does not wait for a server that hangs longer than its command timeout, and recovers', async () => {
    await using server = await startRedis();
    const connection = connectTo(server.port, { commandTimeoutMs: 50 });
    connection.connect();
    await waitFor(() => connection.health() === 'ready');
    server.freeze();
    const all = await Promise.allSettled(Array.from({ length: 100 }, () => ping(connection)));
    expect(all.map(({ status }) => status)).toEqual(Array(100).fill('rejected'));
    await expect(ping(connection)).rejects.toEqual(unavailable('timeout'));
    server.thaw();
    await waitFor(async () => (await outcomeOf(ping(connection))) === 'PONG');
    await connection.close();
  });

  test('drops a connection on which nothing comes back', async () => {
    await using redis = await openRedis({ commandTimeoutMs: 1_000 });
    redis.server.freeze();
    await outcomeOf(ping(redis.connection));
    await waitFor(() => redis.connection.health() !== 'ready');
    redis.server.thaw();
    await waitFor(() => redis.connection.health() === 'ready');
  });

  test('reports its health as it changes, until the last listener is gone', async () => {
    await using server = await startRedis();
    const connection = connectTo(server.port);
    const seen: RedisHealth[] = [];
    const unsubscribe = connection.onHealth((health) => seen.push(health));
    connection.connect();
    await waitFor(() => seen.includes('ready'));
    await server.stop();
    await waitFor(() => seen.includes('down'));
    expect(seen.slice(0, 3)).toEqual(['connecting', 'ready', 'down']);
    unsubscribe();
    const count = seen.length;
    await connection.close();
    expect(seen).toHaveLength(count);
  });

  test('logs in, and is down with the wrong password', async () => {
    await using server = await startRedis({ password: 'sesame' });
    const connection = connectTo(server.port, { password: new Secret('sesame') });
    connection.connect();
    await waitFor(() => connection.health() === 'ready');
    expect(await ping(connection)).toBe('PONG');
    const wrong = connectTo(server.port, { password: new Secret('wrong') });
    wrong.connect();
    await waitFor(() => wrong.health() === 'down');
    await expect(ping(wrong)).rejects.toEqual(unavailable('disconnected'));
    await Promise.all([connection.close(), wrong.close()]);
  });

  test('names what the server refused as the cause', async () => {
    await using redis = await openRedis();
    await redis.connection.run((client) => client.set('text', 'x'));
    const failure = await outcomeOf(redis.connection.run((client) => client.hgetall('text')));
    expect(failure).toMatchObject({ code: 'STORE_UNAVAILABLE', reason: 'refused', cause: expect.any(Error) });
    expect(failure).not.toHaveProperty('cause.command');
  });

  test('lets a bounded number of commands wait', async () => {
    await using redis = await openRedis({ commandTimeoutMs: 1_000 });
    redis.server.freeze();
    const waiting = Array.from({ length: 10_000 }, () => outcomeOf(ping(redis.connection)));
    await expect(ping(redis.connection)).rejects.toEqual(unavailable('busy'));
    await Promise.all(waiting);
  });

  test('closes with commands under way', async () => {
    await using redis = await openRedis();
    redis.server.freeze();
    const pending = outcomeOf(ping(redis.connection));
    await redis.connection.close();
    expect(await pending).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});

describe.runIf(hasRedis())('the response cache over Redis', () => {
  test('goes on without it and with it again', async () => {
    await using redis = await openRedis();
    const errors: unknown[] = [];
    let nowMs = 0;
    const cache = createResponseCache({
      store: createRedisCacheStore(redis.connection),
      storeBreaker: createStoreBreaker({ onError: (error) => errors.push(error), pauseMs: 100, now: () => nowMs }),
    });
    const parts = {
      organisation: 'acme',
      workspace: 'search',
      url: 'https://api.example.com/v1',
      body: Buffer.from('{}'),
      target: 't',
      strict: true,
      headers: new Map(),
      namespace: undefined,
      metadata: undefined,
    };
    const look = async () => cache.lookup(parts, { refresh: false });
    const answer = { status: 200, contentType: 'application/json', body: Buffer.from('{"id":"ä"}'), ttlSeconds: 60 };

    cache.write(await look(), answer);
    await waitFor(async () => (await look()).status === 'HIT');

    await redis.server.stop();
    await waitFor(async () => (await look()).status === undefined);
    for (let i = 0; i < 1_000; i += 1) expect((await look()).status).toBeUndefined();
    expect(errors.length, 'tries before the pause').toBeLessThan(50);

    await redis.server.start();
    await waitFor(async () => {
      nowMs += 100;
      return (await look()).status === 'MISS';
    });
    cache.write(await look(), answer);
    await waitFor(async () => (await look()).status === 'HIT');
    await cache.close();
  });
});

const outcomeOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);
