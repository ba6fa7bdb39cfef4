import { describe, expect, test } from 'vitest';
import {
  CIRCUIT_TTL_SECONDS,
  circuitKey,
  createMemoryCircuitStore,
  createRedisCircuitStore,
} from '../../../gateway/src/store/index.ts';
import { hasRedis } from '../../kit/redis.ts';
import { throughParent } from '../through-parent.ts';
import { memoryVariant, openRedis, redisVariants } from './harness.ts';

const NOW = 1_760_000_000_000;
const VARIANTS = [
  memoryVariant(() => createMemoryCircuitStore({ now: () => NOW })),
  memoryVariant(
    () => throughParent({ circuits: createMemoryCircuitStore({ now: () => NOW }) }).circuits,
    'memory of the parent',
  ),
  ...redisVariants((connection) => createRedisCircuitStore(connection, () => NOW)),
];

const config = { organisation: 'acme', workspace: 'search', slug: 'main', version: '7' };
const KEY = circuitKey(config);
const [FIRST, SECOND] = ['config.targets[0]', 'config.targets[1].targets[0]'] as const;

describe.for(VARIANTS)('a circuit store: $name', ({ available, open }) => {
  test.runIf(available)('counts from the first failure on', async () => {
    await using bench = await open();
    const { store } = bench;
    expect(await store.read(KEY)).toEqual(new Map());
    await store.record(KEY, FIRST, 'success');
    expect(await store.read(KEY)).toEqual(new Map());
    await store.record(KEY, FIRST, 'failure');
    expect(await store.read(KEY)).toEqual(new Map([[FIRST, { failures: 1, successes: 0, firstFailureMs: NOW }]]));
    await store.record(KEY, FIRST, 'success');
    await store.record(KEY, FIRST, 'success');
    await store.record(KEY, FIRST, 'failure');
    expect(await store.read(KEY)).toEqual(new Map([[FIRST, { failures: 2, successes: 2, firstFailureMs: NOW }]]));
  });

  test.runIf(available)('keeps targets and configs apart and clears one target', async () => {
    await using bench = await open();
    const { store } = bench;
    const other = circuitKey({ ...config, version: '8' });
    await store.record(KEY, FIRST, 'failure');
    await store.record(KEY, SECOND, 'failure');
    await store.record(other, FIRST, 'failure');
    await store.clear(KEY, FIRST);
    await store.clear(KEY, 'config.targets[9]');
    expect([...(await store.read(KEY)).keys()]).toEqual([SECOND]);
    expect([...(await store.read(other)).keys()]).toEqual([FIRST]);
    await store.record(KEY, FIRST, 'failure');
    expect((await store.read(KEY)).get(FIRST)?.failures).toBe(1);
  });

  test.runIf(available)('loses no count when many come at once', async () => {
    await using bench = await open();
    const { store } = bench;
    await store.record(KEY, FIRST, 'failure');
    const outcomes = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 'failure' : 'success'));
    await Promise.all(outcomes.map((outcome) => store.record(KEY, FIRST, outcome)));
    expect((await store.read(KEY)).get(FIRST)).toEqual({ failures: 101, successes: 100, firstFailureMs: NOW });
  });

  test.runIf(available)('gives a copy that later counts do not change', async () => {
    await using bench = await open();
    const { store } = bench;
    await store.record(KEY, FIRST, 'failure');
    const before = await store.read(KEY);
    await store.record(KEY, FIRST, 'failure');
    await store.record(KEY, SECOND, 'failure');
    expect(before).toEqual(new Map([[FIRST, { failures: 1, successes: 0, firstFailureMs: NOW }]]));
  });
});

test('records in memory are forgotten a day after their last change', async () => {
  let time = NOW;
  const store = createMemoryCircuitStore({ now: () => time });
  await store.record(KEY, FIRST, 'failure');
  time += CIRCUIT_TTL_SECONDS * 1_000 - 1;
  await store.record(KEY, FIRST, 'success');
  time += CIRCUIT_TTL_SECONDS * 1_000 - 1;
  expect((await store.read(KEY)).size).toBe(1);
  time += 2;
  expect((await store.read(KEY)).size).toBe(0);
});

describe.runIf(hasRedis())('circuit records in Redis', () => {
  test('are forgotten a day after their last change', async () => {
    await using redis = await openRedis();
    const store = createRedisCircuitStore(redis.connection, () => NOW);
    await store.record(KEY, FIRST, 'failure');
    await redis.connection.run((client) => client.expire(KEY, 5));
    await store.record(KEY, FIRST, 'success');
    const ttl = await redis.connection.run((client) => client.ttl(KEY));
    expect(ttl).toBeGreaterThan(CIRCUIT_TTL_SECONDS - 60);
  });

  test('are shared by gateways, also when the server has forgotten the script', async () => {
    await using redis = await openRedis();
    const one = createRedisCircuitStore(redis.connection, () => NOW);
    const other = createRedisCircuitStore(redis.connection, () => NOW + 5);
    await one.record(KEY, FIRST, 'failure');
    await redis.connection.run((client) => client.script('FLUSH'));
    await other.record(KEY, FIRST, 'failure');
    expect((await one.read(KEY)).get(FIRST)).toEqual({ failures: 2, successes: 0, firstFailureMs: NOW });
  });

  test('that cannot be read count as none', async () => {
    await using redis = await openRedis();
    const store = createRedisCircuitStore(redis.connection, () => NOW);
    await redis.connection.run((client) => client.hset(KEY, FIRST, 'nonsense'));
    expect(await store.read(KEY)).toEqual(new Map());
    await store.record(KEY, FIRST, 'failure');
    expect((await store.read(KEY)).get(FIRST)).toEqual({ failures: 1, successes: 0, firstFailureMs: NOW });
  });
});
