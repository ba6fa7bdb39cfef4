import { describe, expect, test } from 'vitest';
import { createRedisConnection, defineScript, type RedisSettings } from '../../../gateway/src/store/index.ts';
import { ask, hasRedis, type RedisServer, startRedis } from '../../kit/redis.ts';
import { startRedisCluster } from '../../kit/redis-cluster.ts';
import { waitFor } from '../../kit/wait-for.ts';

const SCRIPT = defineScript("return 'known'");

async function connectTo(servers: readonly RedisServer[], mode: RedisSettings['mode']) {
  const [first, ...others] = servers.map(({ port }) => ({ host: '127.0.0.1', port }));
  if (first === undefined) throw new Error('no server');
  const connection = createRedisConnection({ nodes: [first, ...others], mode, scripts: [SCRIPT] });
  connection.connect();
  return { connection, [Symbol.asyncDispose]: () => connection.close() };
}

const knows = async ({ port }: RedisServer): Promise<boolean> =>
  (await ask(port, `SCRIPT EXISTS ${SCRIPT.sha1}\r\n`)).includes(':1');

describe.runIf(hasRedis())('a Redis connection with scripts', () => {
  test('is ready when the server has them, also after a restart of the server', async () => {
    await using server = await startRedis();
    await using opened = await connectTo([server], 'standalone');
    await waitFor(() => opened.connection.health() === 'ready');
    expect(await knows(server)).toBe(true);
    await server.stop();
    await waitFor(() => opened.connection.health() !== 'ready');
    await server.start();
    await waitFor(() => opened.connection.health() === 'ready');
    expect(await knows(server)).toBe(true);
  });

  test('gives them to all masters of a cluster', async () => {
    await using cluster = await startRedisCluster();
    await using opened = await connectTo(cluster.nodes, 'cluster');
    await waitFor(() => opened.connection.health() === 'ready');
    expect(await Promise.all(cluster.nodes.map(knows))).toEqual([true, true, true]);
  });

  test('is ready also where the server does not take them', async () => {
    await using server = await startRedis();
    await ask(server.port, 'ACL SETUSER default -script\r\n');
    await using opened = await connectTo([server], 'standalone');
    await waitFor(() => opened.connection.health() === 'ready');
    expect(await opened.connection.run((client) => client.eval(SCRIPT.lua, 0))).toBe('known');
  });
});
