/** Where the counters of limits can be. */
import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { createMemoryLimiter, createRedisLimiter, type Limiter } from '../../../gateway/src/limits/index.ts';
import { createRedisConnection, type RedisConnection } from '../../../gateway/src/store/index.ts';
import { hasRedis, startRedis } from '../../kit/redis.ts';
import { startRedisCluster } from '../../kit/redis-cluster.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { throughParent } from '../through-parent.ts';

/** How long the limiters under test hold an estimate, in ms. */
export const HOLD_MS = 60_000;

export interface Variant {
  readonly name: string;
  readonly available: boolean;
  /** An empty limiter whose hold time is HOLD_MS, on the clock of its callers. */
  open(): Promise<Limiter>;
  /** Its counters are those of that limiter. */
  openBeside?(): Promise<Limiter>;
}

export const VARIANTS: readonly Variant[] = [
  { name: 'memory', available: true, open: async () => createMemoryLimiter({ holdMs: HOLD_MS }) },
  {
    name: 'memory of the parent',
    available: true,
    open: async () => throughParent({ limiter: createMemoryLimiter({ holdMs: HOLD_MS }) }).limiter,
  },
  redisVariant('redis', async () => {
    const server = await startRedis();
    return { ports: [server.port], mode: 'standalone', server };
  }),
  redisVariant('redis cluster of three nodes', async () => {
    const cluster = await startRedisCluster();
    const ports = cluster.nodes.map(({ port }) => port);
    return { ports, mode: 'cluster', server: cluster };
  }),
];

interface Servers {
  readonly ports: readonly number[];
  readonly mode: 'standalone' | 'cluster';
  readonly server: AsyncDisposable;
}

/** One Redis for all tests of a file; each limiter has counters of its own. */
function redisVariant(name: string, start: () => Promise<Servers>): Variant {
  let shared: Promise<{ readonly connection: RedisConnection; close(): Promise<void> }> | undefined;
  afterAll(async () => (await shared)?.close());
  let prefix = '';
  const open = async (): Promise<Limiter> => {
    shared ??= connect(start);
    const { connection } = await shared;
    // The hold time of a limiter alone is that of its lease, which is renewed in real time and so not within a test.
    return withPrefix(createRedisLimiter({ connection, leaseMs: HOLD_MS, clock: 'callers' }), prefix);
  };
  return {
    name,
    available: hasRedis(),
    open: () => {
      prefix = randomBytes(6).toString('hex');
      return open();
    },
    openBeside: open,
  };
}

async function connect(start: () => Promise<Servers>) {
  const { ports, mode, server } = await start();
  const [first, ...others] = ports.map((port) => ({ host: '127.0.0.1', port }));
  if (first === undefined) throw new Error('no server');
  const connection = createRedisConnection({
    nodes: [first, ...others],
    mode,
    commandTimeoutMs: 10_000, // far above the default: these machines are busy with tests
  });
  connection.connect();
  await waitFor(() => connection.health() === 'ready');
  return {
    connection,
    close: async () => {
      await connection.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Subjects of their own for each test, so that it finds empty counters. */
function withPrefix(limiter: Limiter, prefix: string): Limiter {
  const inner = new Map<object, object>();
  const toInner = <D extends object & { readonly subject: string }>(demand: D): D => {
    const known = inner.get(demand) as D | undefined; // of the same demand
    if (known !== undefined) return known;
    const made = { ...demand, subject: `${prefix}/${demand.subject}` };
    inner.set(demand, made);
    inner.set(made, demand);
    return made;
  };
  return {
    ask: async (demands, nowMs) => toOuter(await limiter.ask(demands.map(toInner), nowMs)),
    reserve: async (demands, nowMs) => toOuter(await limiter.reserve(demands.map(toInner), nowMs)),
    close: limiter.close,
  };

  function toOuter<R extends object>(result: R): R {
    if (!('demand' in result)) return result;
    const demand = inner.get(result.demand as object);
    return { ...result, demand };
  }
}
