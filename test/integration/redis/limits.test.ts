/** Limits counted in Redis by gateways, and what happens when it goes away in all the ways it can. */
import { describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../kit/gateway.ts';
import { send } from '../../kit/http.ts';
import { ask, type RedisServer, startRedis } from '../../kit/redis.ts';
import { key } from '../../kit/snapshot.ts';
import { startTcpProxy, type TcpProxy } from '../../kit/tcp-proxy.ts';
import { waitFor } from '../../kit/wait-for.ts';

/** Of a week: the window cannot end within the test, but for the second before Thursday 00:00 UTC. */
const perWeek = (value: number) => key({ rateLimits: [{ type: 'requests', unit: 'rpw', value }] });

interface StartOptions {
  readonly port: number;
  readonly limit?: number;
  readonly policy?: 'open' | 'closed';
  readonly timeoutMs?: number;
}

const start = ({ port, limit, policy = 'open', timeoutMs = 5_000 }: StartOptions): Promise<World> =>
  startWorld({
    env: {
      REDIS_URL: `redis://127.0.0.1:${port}`,
      CACHE_STORE: 'memory',
      GATEHOUSE_STORE_FAILURE_POLICY: policy,
      GATEHOUSE_LIMITS_TIMEOUT_MS: String(timeoutMs), // far above the default: these machines are busy with tests
    },
    entries: () => (limit === undefined ? [] : [perWeek(limit)]),
  });

const chat = (world: World) =>
  world.send('/v1/chat/completions', {
    headers: { 'x-gw-provider': '@openai' },
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'Hi' }] },
  });

async function statusesOf(world: World, count: number): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(Array.from({ length: count }, () => chat(world)))) {
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

const limitsOf = async (world: World) => {
  const answer = await send(`${world.adminUrl}/internal/status`);
  return (answer.json() as { limits?: { counted: string; reason?: string } }).limits;
};
const isCounted = (world: World, counted: string) =>
  waitFor(async () => (await limitsOf(world))?.counted === counted, { what: `limits are ${counted}` });

/** How much of the limit the shared counter has used. */
async function usedIn({ port }: Pick<RedisServer, 'port'>): Promise<number> {
  const key = /\{limits:[^\r\n]*rpw/.exec(await ask(port, 'KEYS {limits:*rpw\r\n'))?.[0];
  const answer = await ask(port, `HGET ${key} n\r\n`);
  return Number(/\r\n(\d+)/.exec(answer)?.[1] ?? 0);
}

const set = (redis: RedisServer, name: string, value: string) => ask(redis.port, `CONFIG SET ${name} ${value}\r\n`);

interface Scene {
  readonly redis: RedisServer;
  readonly proxy: TcpProxy;
}

interface Trouble {
  readonly name: string;
  /** Of a call; the default is far above, so that a busy machine causes no trouble by itself. */
  readonly timeoutMs?: number;
  begin(scene: Scene): unknown;
  end(scene: Scene): unknown;
}

const TROUBLES: readonly Trouble[] = [
  { name: 'cut off', begin: ({ proxy }) => proxy.cut(), end: ({ proxy }) => proxy.resume() },
  { name: 'stalled', timeoutMs: 1_500, begin: ({ proxy }) => proxy.stall(), end: ({ proxy }) => proxy.resume() },
  { name: 'frozen', timeoutMs: 1_500, begin: ({ redis }) => redis.freeze(), end: ({ redis }) => redis.thaw() },
  {
    name: 'out of memory',
    begin: ({ redis }) => set(redis, 'maxmemory', '1'),
    end: ({ redis }) => set(redis, 'maxmemory', '0'),
  },
  {
    name: 'without the replicas that writes need',
    begin: ({ redis }) => set(redis, 'min-replicas-to-write', '1'),
    end: ({ redis }) => set(redis, 'min-replicas-to-write', '0'),
  },
];

describe('limits in Redis', () => {
  test('two gateways admit N together, not 2 N', async () => {
    await using redis = await startRedis();
    await using first = await start({ port: redis.port, limit: 25 });
    await using second = await start({ port: redis.port, limit: 25 });
    await Promise.all([isCounted(first, 'shared'), isCounted(second, 'shared')]);
    const counts = await Promise.all([statusesOf(first, 30), statusesOf(second, 30)]);
    expect(counts.reduce((sum, { 200: ok = 0 }) => sum + ok, 0)).toBe(25);
    expect(counts.reduce((sum, { 429: refused = 0 }) => sum + refused, 0)).toBe(35);
    expect(await first.metric('gatehouse_limits_shared')).toBe(1);
  });

  test('a gateway without a limit makes no call to Redis', async () => {
    await using redis = await startRedis();
    await using world = await start({ port: redis.port });
    await isCounted(world, 'shared');
    const calls = async () => (await ask(redis.port, 'INFO commandstats\r\n')).match(/cmdstat_eval(sha)?:calls=\d+/g);
    const before = await calls();
    expect(await statusesOf(world, 20)).toEqual({ 200: 20 });
    expect(await calls()).toEqual(before);
  });

  test('the first request finds its scripts in Redis', async () => {
    await using redis = await startRedis();
    await using world = await start({ port: redis.port, limit: 10, policy: 'closed' });
    await isCounted(world, 'shared');
    expect(await statusesOf(world, 1)).toEqual({ 200: 1 });
    const stats = await ask(redis.port, 'INFO commandstats\r\n');
    expect(stats).toContain('cmdstat_evalsha:');
    expect(stats).not.toContain('cmdstat_eval:'); // by its text, since Redis does not know it
  });

  test.for(TROUBLES)('go on in each gateway while it is $name, and together afterwards', async (trouble) => {
    await using redis = await startRedis();
    await using proxy = await startTcpProxy(redis);
    await using world = await start({ port: proxy.port, limit: 20, timeoutMs: trouble.timeoutMs ?? 5_000 });
    await isCounted(world, 'shared');
    expect(await statusesOf(world, 5)).toEqual({ 200: 5 });
    await trouble.begin({ redis, proxy });
    const during = await statusesOf(world, 6);
    expect(during).toEqual({ 200: 6 });
    await waitFor(async () => {
      await chat(world);
      return (await limitsOf(world))?.counted === 'local';
    });
    expect(await world.metric('gatehouse_limits_shared')).toBe(0);
    await statusesOf(world, 20);
    expect(await statusesOf(world, 5)).toEqual({ 429: 5 });
    await trouble.end({ redis, proxy });
    await isCounted(world, 'shared');
    expect(await world.metric('gatehouse_limits_shared')).toBe(1);
    expect(await usedIn(redis)).toBeGreaterThanOrEqual(20); // what was under way when it went may count twice
    expect(await statusesOf(world, 5)).toEqual({ 429: 5 });
  });

  test.for(TROUBLES)('refuse while it is $name when the policy is closed', async (trouble) => {
    await using redis = await startRedis();
    await using proxy = await startTcpProxy(redis);
    const options = { port: proxy.port, policy: 'closed', timeoutMs: trouble.timeoutMs ?? 5_000 } as const;
    await using world = await start({ ...options, limit: 1_000 });
    await isCounted(world, 'shared');
    expect(await statusesOf(world, 2)).toEqual({ 200: 2 });
    await trouble.begin({ redis, proxy });
    expect(await statusesOf(world, 5)).toEqual({ 503: 5 });
    const refused = await chat(world);
    expect(refused.json()).toMatchObject({ error: { code: 'limits_unavailable', type: 'service_error' } });
    expect(refused.headers['retry-after']).toBe('1');
    await isCounted(world, 'refused');
    await trouble.end({ redis, proxy });
    await isCounted(world, 'shared');
    expect(await statusesOf(world, 3)).toEqual({ 200: 3 });
  });

  test('what has no limit goes on whatever the policy', async () => {
    await using redis = await startRedis();
    await using world = await start({ port: redis.port, policy: 'closed' });
    await isCounted(world, 'shared');
    await redis.stop();
    await isCounted(world, 'refused');
    expect(await statusesOf(world, 5)).toEqual({ 200: 5 });
  });

  test('begin anew when Redis was emptied, and fail nothing', async () => {
    await using redis = await startRedis();
    await using world = await start({ port: redis.port, limit: 10 });
    await isCounted(world, 'shared');
    expect(await statusesOf(world, 4)).toEqual({ 200: 4 });
    await ask(redis.port, 'FLUSHALL\r\n');
    expect(await statusesOf(world, 12)).toEqual({ 200: 10, 429: 2 });
  });

  test('follow a master that becomes a replica and back', async () => {
    await using redis = await startRedis();
    await using other = await startRedis();
    await using world = await start({ port: redis.port, limit: 100 });
    await isCounted(world, 'shared');
    expect(await statusesOf(world, 4)).toEqual({ 200: 4 });
    await ask(redis.port, `REPLICAOF 127.0.0.1 ${other.port}\r\n`);
    await waitFor(async () => {
      expect((await chat(world)).status).toBe(200);
      return (await limitsOf(world))?.counted === 'local';
    });
    await ask(redis.port, 'REPLICAOF NO ONE\r\n');
    await isCounted(world, 'shared');
    expect((await chat(world)).status).toBe(200);
  });
});
