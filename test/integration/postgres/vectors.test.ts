/** Vectors of prompts in PostgreSQL: docs/behaviour/caching.md#answers-to-similar-prompts. */
import { type PostgresServer, startPostgres } from '@gatehouse/test/kit';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  createMemoryVectors,
  createPostgresVectors,
  toUnit,
  type VectorStore,
  type VectorsState,
} from '../../../gateway/src/cache/index.ts';
import { createStoreBreaker } from '../../../gateway/src/store/index.ts';
import { baseEntries, startGateway, startMock } from '../../kit/gateway.ts';
import { startRedis } from '../../kit/redis.ts';
import { config } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { startPgvector } from '../../pgvector/index.ts';

const server = await startPgvector();
afterAll(() => server[Symbol.asyncDispose]());
const isOffered = async ({ sql }: PostgresServer): Promise<boolean> =>
  (await sql("select 1 from pg_available_extensions where name = 'vector'")) !== '[]';
const hasExtension = process.env['CI'] === 'true' || (await isOffered(server));

const unit = (...values: number[]): Float32Array => {
  const vector = toUnit(values);
  if (vector === undefined) throw new Error('no direction');
  return vector;
};
const EAST = unit(1, 0);
const NORTH = unit(0, 1);

interface Opened {
  readonly vectors: VectorStore;
  /** Where they are without the database. */
  readonly otherwise: VectorStore;
  readonly states: VectorsState[];
  pass(ms: number): void;
}

function open(url: string, maxVectors?: number): Opened {
  let passedMs = 0;
  const now = (): number => Date.now() + passedMs;
  const states: VectorsState[] = [];
  const otherwise = createMemoryVectors({ now, maxBytes: 1_000_000 });
  const vectors = createPostgresVectors({
    ...{ url, ca: undefined, now, otherwise },
    ...(maxVectors === undefined ? {} : { maxVectors }),
    storeBreaker: createStoreBreaker({ onError: () => {} }),
    onState: (state) => void states.push(state),
  });
  onTestFinished(() => vectors.close());
  const pass = (ms: number): void => {
    passedMs += ms;
  };
  return { vectors, otherwise, states, pass };
}

async function used(url: string, maxVectors?: number): Promise<Opened> {
  const opened = open(url, maxVectors);
  await waitFor(() => opened.states.length > 0, { what: 'the database' });
  expect(opened.states).toEqual(['used']);
  return opened;
}

const found = (store: VectorStore, key: string, vector = EAST) =>
  waitFor(async () => (await store.nearest('p', vector, 0.99))?.key === key, { what: key });
const gone = (store: VectorStore, vector = EAST) =>
  waitFor(async () => (await store.nearest('p', vector, 0.99)) === undefined, { what: 'nothing' });

describe.runIf(hasExtension)('vectors in PostgreSQL with pgvector', () => {
  test('are found, replaced and forgotten by all gateways', async () => {
    const url = await server.database();
    const [one, two] = [await used(url), await used(url)];
    one.vectors.set('p', { key: 'a', vector: EAST, ttlSeconds: 60 });
    one.vectors.set('p', { key: 'wide', vector: unit(1, 0, 0), ttlSeconds: 60 });
    one.vectors.set('other', { key: 'exact', vector: NORTH, ttlSeconds: 60 });
    await found(two.vectors, 'a');
    expect(await two.vectors.nearest('p', unit(3, 1), 0.9)).toEqual({
      key: 'a',
      similarity: expect.closeTo(3 / Math.sqrt(10), 5),
      ttlSeconds: expect.toSatisfy((seconds: number) => seconds > 0 && seconds <= 60),
    });
    expect(await two.vectors.nearest('p', unit(3, 1), 0.99)).toBeUndefined();
    expect(await two.vectors.nearest('p', NORTH, 0.9)).toBeUndefined();
    two.vectors.set('p', { key: 'a', vector: NORTH, ttlSeconds: 60 });
    await found(one.vectors, 'a', NORTH);
    expect(await one.vectors.nearest('p', EAST, 0.9)).toBeUndefined();
    two.vectors.delete('p', 'a');
    await gone(one.vectors, NORTH);
    expect(await server.sql('select count(*)::int as left from gateway_cache.vectors', databaseOf(url))).toBe(
      '[{"left":2}]',
    );
  });

  test('are forgotten after their lifetime, and are the numbers that were stored', async () => {
    const { vectors, pass } = await used(await server.database());
    const long = unit(...Array.from({ length: 1_536 }, (_, i) => Math.sin(i)));
    vectors.set('p', { key: 'long', vector: long, ttlSeconds: 60 });
    await found(vectors, 'long', long);
    expect((await vectors.nearest('p', long, 0.99))?.similarity).toBeCloseTo(1, 5);
    pass(60_000);
    expect(await vectors.nearest('p', long, 0.99)).toBeUndefined();
  });

  test('are bounded: what expires first goes first', async () => {
    const url = await server.database();
    const { vectors, pass } = await used(url, 10);
    vectors.set('of others', { key: 'over', vector: EAST, ttlSeconds: 1 });
    pass(2_000);
    for (let i = 0; i < 100; i += 1) {
      vectors.set('p', { key: `key-${i}`, vector: unit(Math.cos(i / 100), Math.sin(i / 100)), ttlSeconds: 60 + i });
    }
    const countOf = () => server.sql('select count(*)::int as left from gateway_cache.vectors', databaseOf(url));
    await waitFor(async () => (await countOf()) === '[{"left":11}]', { what: 'the newest ones' }); // one came after the removal
    await found(vectors, 'key-99', unit(Math.cos(0.99), Math.sin(0.99)));
  });

  test('are elsewhere while the database is away, and there again when it is back', async () => {
    const own = await startPgvector();
    onTestFinished(() => own[Symbol.asyncDispose]());
    const { vectors, otherwise } = await used(await own.database());
    vectors.set('p', { key: 'a', vector: EAST, ttlSeconds: 60 });
    await found(vectors, 'a');
    otherwise.set('p', { key: 'b', vector: NORTH, ttlSeconds: 60 });
    await own.stop();
    expect((await vectors.nearest('p', NORTH, 0.99))?.key).toBe('b');
    await own.start();
    await found(vectors, 'a');
  });

  test('lead to answers of other gateways', async () => {
    await using redis = await startRedis();
    const mock = await startMock();
    try {
      const cache = { mode: 'semantic', embeddingModel: '@openai/text-embedding-3-small', similarityPercent: 80 };
      const entries = [[...baseEntries(mock), config('similar', { provider: '@openai', cache } as never)].flat()];
      const url = await server.database();
      const env = { REDIS_URL: redis.url, GATEHOUSE_BATCH_DATABASE_URL: url };
      await using one = await startGateway({ entries, env });
      await using two = await startGateway({ entries, env });
      for (const gateway of [one, two]) {
        await waitFor(() => gateway.logs.some(({ msg }) => msg === 'Vectors of prompts are kept in PostgreSQL'));
      }
      const ask = async (gateway: typeof one, content: string) => {
        const { headers } = await gateway.send('/v1/chat/completions', {
          headers: { 'x-gw-config': 'similar' },
          body: { model: 'mock-small', messages: [{ role: 'user', content }] },
        });
        return headers['x-gw-cache-status'];
      };
      const first = 'Please tell me what the capital city of France is called';
      expect(await ask(one, first)).toBe('SEMANTIC MISS');
      // A gateway that asks before both are there stores an answer of its own.
      for (const gateway of [one, two]) {
        await waitFor(async () => (await ask(gateway, first)) === 'HIT', { what: 'the stored answer' });
      }
      const isStored = async () => (await server.sql('select 1 from gateway_cache.vectors', databaseOf(url))) !== '[]';
      await waitFor(isStored, { what: 'the stored vector' });
      expect(await ask(two, 'Please tell me what is the capital city of France called')).toBe('SEMANTIC HIT');
    } finally {
      await mock.close();
    }
  });
});

const databaseOf = (url: string): string => new URL(url).pathname.slice(1);

describe('where the database cannot keep vectors', () => {
  /** Has no right to create anything. */
  async function limitedUser(): Promise<string> {
    const url = new URL(await server.database());
    await server.sql(`create role ${url.pathname.slice(1)}_user login password 'secret'`);
    url.username = `${url.pathname.slice(1)}_user`;
    url.password = 'secret';
    return url.href;
  }

  test.for([
    { rule: 'its user may not create it', url: limitedUser, unused: 'extension' },
    { rule: 'it is away', url: async () => 'postgres://a:b@127.0.0.1:1/c', unused: 'database' },
  ])('since $rule, they are elsewhere, and that is told once', async ({ url, unused }) => {
    await expectUnused(await url(), unused);
  });

  test('since it lacks the extension, they are elsewhere, and that is told once', async ({ skip }) => {
    await using plain = await startPostgres();
    skip(await isOffered(plain), 'the server of this machine has the extension');
    await expectUnused(await plain.database(), 'extension');
  });

  async function expectUnused(url: string, unused: string): Promise<void> {
    const { vectors, states } = open(url);
    vectors.set('p', { key: 'a', vector: EAST, ttlSeconds: 60 });
    await waitFor(() => states.length > 0, { what: 'the reason' });
    expect(states).toMatchObject([{ unused, cause: expect.any(Error) }]);
    expect(await vectors.nearest('p', EAST, 0.99)).toMatchObject({ key: 'a' });
    vectors.delete('p', 'a');
    expect(await vectors.nearest('p', EAST, 0.99)).toBeUndefined();
  }

  test('the gateway logs why', async () => {
    await using redis = await startRedis();
    const url = await limitedUser();
    await using gateway = await startGateway({
      entries: [],
      env: { REDIS_URL: redis.url, GATEHOUSE_BATCH_DATABASE_URL: url },
    });
    await waitFor(() => gateway.logs.some(({ reason }) => reason === 'extension'), { what: 'the log' });
    const told = gateway.logs.find(({ reason }) => reason === 'extension');
    expect(told?.['msg']).toBe('Vectors of prompts could not be kept in PostgreSQL, and are kept with the answers');
    expect(JSON.stringify(gateway.logs)).not.toContain('secret');
  });
});
