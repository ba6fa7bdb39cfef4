/** Vectors of prompts: docs/behaviour/caching.md#answers-to-similar-prompts. */
import { describe, expect, test } from 'vitest';
import {
  createMemoryVectors,
  createSharedVectors,
  toUnit,
  type VectorStore,
} from '../../../gateway/src/cache/index.ts';
import {
  createRedisConnection,
  createStoreBreaker,
  parseRedisUrl,
  type RedisConnection,
} from '../../../gateway/src/store/index.ts';
import { unwrap } from '../../kit/index.ts';
import { hasRedis, startRedis } from '../../kit/redis.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { memoryVariant, redisVariants } from './harness.ts';

const MAX_BYTES = 1_000_000;
const unit = (...values: number[]): Float32Array => {
  const vector = toUnit(values);
  if (vector === undefined) throw new Error('no direction');
  return vector;
};
const EAST = unit(1, 0);
const NORTH = unit(0, 1);

const shared = (connection: RedisConnection, over: { maxChanges?: number; errors?: unknown[] } = {}): VectorStore =>
  createSharedVectors({
    ...{ connection, now: Date.now, maxBytes: MAX_BYTES },
    ...(over.maxChanges === undefined ? {} : { maxChanges: over.maxChanges }),
    storeBreaker: createStoreBreaker({ onError: (error) => void over.errors?.push(error) }),
  });

const VARIANTS = [
  memoryVariant<VectorStore>((now) => createMemoryVectors({ now, maxBytes: MAX_BYTES })),
  ...redisVariants<VectorStore>((connection) => shared(connection)),
];

describe.for(VARIANTS)('a store of vectors: $name', ({ available, open }) => {
  test.runIf(available)('gives the nearest of a partition, from the least cosine on', async () => {
    await using bench = await open();
    const { store } = bench;
    expect(await store.nearest('p', EAST, -1)).toBeUndefined();
    store.set('p', { key: 'east', vector: EAST, ttlSeconds: 60 });
    store.set('p', { key: 'north', vector: NORTH, ttlSeconds: 60 });
    store.set('other', { key: 'exact', vector: unit(3, 1), ttlSeconds: 60 });
    store.set('p', { key: 'wide', vector: unit(3, 1, 0), ttlSeconds: 60 });
    expect(await store.nearest('p', unit(3, 1), 0.9)).toMatchObject({
      key: 'east',
      similarity: expect.closeTo(3 / Math.sqrt(10), 5),
    });
    const left = (await store.nearest('p', EAST, 0.99))?.ttlSeconds;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60);
    expect(await store.nearest('p', unit(3, 1), 0.99)).toBeUndefined();
    expect(await store.nearest('never seen', unit(3, 1), -1)).toBeUndefined();
  });

  test.runIf(available)('replaces and forgets by the key', async () => {
    await using bench = await open();
    const { store } = bench;
    store.set('p', { key: 'a', vector: EAST, ttlSeconds: 60 });
    store.set('p', { key: 'a', vector: NORTH, ttlSeconds: 60 });
    expect((await store.nearest('p', EAST, -1))?.similarity).toBeCloseTo(0);
    store.delete('p', 'a');
    store.delete('p', 'never set');
    expect(await store.nearest('p', NORTH, -1)).toBeUndefined();
  });

  test.runIf(available)('forgets after the lifetime', async () => {
    await using bench = await open();
    const { store, outlive } = bench;
    store.set('p', { key: 'short', vector: EAST, ttlSeconds: 60 });
    store.set('p', { key: 'long', vector: NORTH, ttlSeconds: 60 });
    expect((await store.nearest('p', EAST, 0.9))?.key).toBe('short');
    store.set('p', { key: 'short', vector: EAST, ttlSeconds: 1 }); // asked for after its lifetime only
    await outlive(1);
    expect(await store.nearest('p', EAST, 0.9)).toBeUndefined();
    expect((await store.nearest('p', NORTH, 0.9))?.key).toBe('long');
  });
});

describe.runIf(hasRedis())('vectors in Redis', () => {
  async function open() {
    const server = await startRedis();
    const connections: RedisConnection[] = [];
    return {
      server,
      connect: async () => {
        const connection = createRedisConnection({
          ...unwrap(parseRedisUrl(server.url)),
          mode: 'standalone',
          commandTimeoutMs: 30_000,
        });
        connections.push(connection);
        connection.connect();
        await waitFor(() => connection.health() === 'ready', { what: 'the connection' });
        return connection;
      },
      [Symbol.asyncDispose]: async () => {
        await Promise.all(connections.map((connection) => connection.close()));
        await server[Symbol.asyncDispose]();
      },
    };
  }
  /** Once it has arrived there. */
  const found = (store: VectorStore, key: string, vector = EAST) =>
    waitFor(async () => (await store.nearest('p', vector, 0.99))?.key === key, { what: key });
  const gone = (store: VectorStore, vector = EAST) =>
    waitFor(async () => (await store.nearest('p', vector, 0.99)) === undefined, { what: 'nothing' });

  test('are found, replaced and forgotten by all gateways, and by one that starts later', async () => {
    await using bench = await open();
    const [one, two] = [shared(await bench.connect()), shared(await bench.connect())];
    one.set('p', { key: 'a', vector: EAST, ttlSeconds: 60 });
    await found(two, 'a');
    two.set('p', { key: 'b', vector: NORTH, ttlSeconds: 60 });
    await found(one, 'b', NORTH);
    await found(shared(await bench.connect()), 'b', NORTH);
    two.delete('p', 'a');
    await gone(one);
    await gone(shared(await bench.connect()));
    expect(await one.nearest('of others', EAST, -1)).toBeUndefined();
  });

  test('are the numbers that were stored', async () => {
    await using bench = await open();
    const vector = unit(...Array.from({ length: 1_536 }, (_, i) => Math.sin(i)));
    shared(await bench.connect()).set('p', { key: 'a', vector, ttlSeconds: 60 });
    const other = shared(await bench.connect());
    await found(other, 'a', vector);
    expect((await other.nearest('p', vector, 0.99))?.similarity).toBeCloseTo(1, 5);
  });

  test('are bounded by the number of changes, and live as long as the last of them', async () => {
    await using bench = await open();
    const connection = await bench.connect();
    const one = shared(connection, { maxChanges: 50 });
    for (let i = 0; i < 200; i += 1) {
      const angle = (i / 200) * (Math.PI / 2);
      const vector = unit(Math.cos(angle), Math.sin(angle), ...Array.from({ length: 1_000 }, () => 0));
      one.set('p', { key: `key-${i}`, vector, ttlSeconds: 60 });
      if (i === 199) await found(shared(await bench.connect(), { maxChanges: 50 }), 'key-199', vector);
    }
    const [name = ''] = await connection.run((client) => client.keys('gatehouse:vectors:*'));
    const { length, ttl } = await connection.run(async (client) => ({
      length: await client.xlen(name),
      ttl: await client.ttl(name),
    }));
    expect(length).toBeGreaterThanOrEqual(50);
    expect(length).toBeLessThan(70); // Redis trims whole nodes of a stream
    expect(ttl).toBeGreaterThan(0);
    expect(ttl).toBeLessThanOrEqual(60);
  });

  test('that nobody of ours wrote are passed over', async () => {
    await using bench = await open();
    const connection = await bench.connect();
    const store = shared(connection);
    store.set('p', { key: 'a', vector: EAST, ttlSeconds: 60 });
    await found(shared(await bench.connect()), 'a');
    const [name = ''] = await connection.run((client) => client.keys('gatehouse:vectors:*'));
    const text = (...values: number[]): string => Buffer.from(new Float32Array(values).buffer).toString('base64');
    const foreign = [
      ['k', 'long', 'v', text(5, 5), 'e', String(Date.now() + 60_000)],
      ['k', 'nan', 'v', text(Number.NaN, 1), 'e', String(Date.now() + 60_000)],
      ['k', 'odd', 'v', 'AAA=', 'e', String(Date.now() + 60_000)],
      ['k', 'when', 'v', text(1, 0), 'e', 'soon'],
      ['k', 'over', 'v', text(1, 0), 'e', '1'],
      ['k', 'x'.repeat(1_000), 'v', text(1, 0), 'e', String(Date.now() + 60_000)],
      ['something', 'else'],
    ];
    for (const fields of foreign) await connection.run((client) => client.xadd(name, '*', ...fields));
    store.set('p', { key: 'b', vector: NORTH, ttlSeconds: 60 });
    await found(shared(await bench.connect()), 'b', NORTH);
    expect(await shared(await bench.connect()).nearest('p', EAST, 0.9)).toMatchObject({ key: 'a' });
  });

  test('are those of this gateway while Redis is away, and nothing fails', async () => {
    const errors: unknown[] = [];
    const connection = createRedisConnection({
      ...unwrap(parseRedisUrl('redis://127.0.0.1:1')),
      ...{ mode: 'standalone', commandTimeoutMs: 100, connectTimeoutMs: 100 },
    });
    const alone = shared(connection, { errors });
    alone.set('p', { key: 'a', vector: EAST, ttlSeconds: 60 });
    expect(await alone.nearest('p', EAST, 0.9)).toMatchObject({ key: 'a' });
    alone.delete('p', 'a');
    expect(await alone.nearest('p', EAST, 0.9)).toBeUndefined();
    expect(errors.length).toBeGreaterThan(0);
    await connection.close();
  });
});
