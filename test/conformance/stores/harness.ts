import { afterAll } from 'vitest';
import { createRedisConnection, parseRedisUrl, type RedisConnection } from '../../../gateway/src/store/index.ts';
import { unwrap } from '../../kit/index.ts';
import { hasRedis, type RedisServer, type RedisServerOptions, startRedis } from '../../kit/redis.ts';
import { waitFor } from '../../kit/wait-for.ts';

/** A store under test and the ways a suite may move its world. */
export interface Bench<S> extends AsyncDisposable {
  readonly store: S;
  /** Resolves when entries set with this lifetime, in seconds, must be gone. */
  outlive(ttlSeconds: number): Promise<void>;
}

export interface Variant<S> {
  readonly name: string;
  readonly available: boolean;
  open(): Promise<Bench<S>>;
}

/** A store in memory, on a clock that the suite moves. */
export function memoryVariant<S>(create: (now: () => number) => S, name = 'memory'): Variant<S> {
  return {
    name,
    available: true,
    open: async () => {
      let time = 1_760_000_000_000;
      return {
        store: create(() => time),
        outlive: async (ttlSeconds) => {
          time += ttlSeconds * 1_000 + 1;
        },
        [Symbol.asyncDispose]: async () => {},
      };
    },
  };
}

/** A store in a real Redis server, alone or as a cluster; one server for all tests of a file, emptied before each. */
export function redisVariants<S>(create: (connection: RedisConnection) => S): Variant<S>[] {
  return [
    { name: 'redis', server: {} },
    { name: 'redis cluster', server: { cluster: true } },
  ].map(({ name, server }) => {
    let shared: Promise<OpenRedis> | undefined;
    afterAll(async () => (await shared)?.[Symbol.asyncDispose]());
    return {
      name,
      available: hasRedis(),
      open: async () => {
        shared ??= openRedis(server);
        const { connection } = await shared;
        await connection.run((client) => client.flushall());
        return {
          store: create(connection),
          outlive: (ttlSeconds) => elapsed(ttlSeconds * 1_000 + 1),
          [Symbol.asyncDispose]: async () => {},
        };
      },
    };
  });
}

export interface OpenRedis extends AsyncDisposable {
  readonly server: RedisServer;
  readonly connection: RedisConnection;
}

interface OpenRedisOptions extends RedisServerOptions {
  /** Of a command; the default is far above that of a gateway: these machines are busy with tests. */
  readonly commandTimeoutMs?: number;
}

/** A server and a ready connection to it. */
export async function openRedis({ commandTimeoutMs = 30_000, ...options }: OpenRedisOptions = {}): Promise<OpenRedis> {
  const server = await startRedis(options);
  const connection = createRedisConnection({
    ...unwrap(parseRedisUrl(server.url)),
    mode: options.cluster ? 'cluster' : 'standalone',
    commandTimeoutMs,
  });
  connection.connect();
  await waitFor(() => connection.health() === 'ready');
  return {
    server,
    connection,
    [Symbol.asyncDispose]: async () => {
      await connection.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Real time has to pass for a real server. */
const elapsed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
