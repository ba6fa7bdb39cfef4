import { describe, expect, test } from 'vitest';
import { createStoreBreaker } from '../store/index.ts';
import type { CacheStore } from './cache-store.ts';
import type { CacheKeyParts } from './key.ts';
import { createMemoryCacheStore } from './memory/index.ts';
import { type CacheLookup, createResponseCache, encodeEntry } from './response-cache.ts';
import type { CacheableAnswer } from './storable.ts';

const parts = (workspace = 'search'): CacheKeyParts => ({
  organisation: 'acme',
  workspace,
  url: 'https://api.example.com/v1/chat/completions',
  body: Buffer.from('{}'),
  target: 't',
  strict: true,
  headers: new Map(),
  namespace: undefined,
  metadata: undefined,
});

const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT = '{ "id": "a",  "choices": [] }';

const answer = (over: Partial<CacheableAnswer> = {}): CacheableAnswer & { ttlSeconds: number } => ({
  status: 200,
  contentType: JSON_TYPE,
  body: Buffer.from(TEXT),
  ttlSeconds: 60,
  ...over,
});

function start(over: Partial<CacheStore> = {}, maxEntryBytes?: number) {
  let time = 1_760_000_000_000;
  const errors: unknown[] = [];
  const memory = createMemoryCacheStore({ now: () => time });
  const store = { ...memory, ...over };
  const storeBreaker = createStoreBreaker({ onError: (error) => errors.push(error), now: () => time });
  const cache = createResponseCache({ store, storeBreaker, ...(maxEntryBytes === undefined ? {} : { maxEntryBytes }) });
  return { cache, errors, store: memory, elapse: (ms: number) => (time += ms) };
}

const status = ({ status }: CacheLookup) => status;
const bodyOf = (lookup: CacheLookup): string | undefined =>
  lookup.status === 'HIT' ? lookup.body.toString() : undefined;

/** What a second request finds after this answer to the first. */
async function storedAfter(over: Partial<CacheableAnswer>, maxEntryBytes?: number): Promise<string | undefined> {
  const { cache } = start({}, maxEntryBytes);
  cache.write(await cache.lookup(parts(), { refresh: false }), answer(over));
  return bodyOf(await cache.lookup(parts(), { refresh: false }));
}

describe('the response cache', () => {
  test('misses, then hits with the very bytes', async () => {
    const { cache } = start();
    const miss = await cache.lookup(parts(), { refresh: false });
    expect(miss.status).toBe('MISS');
    cache.write(miss, answer());
    expect(bodyOf(await cache.lookup(parts(), { refresh: false }))).toBe(TEXT);
  });

  test('keeps workspaces apart', async () => {
    const { cache } = start();
    cache.write(await cache.lookup(parts('search'), { refresh: false }), answer());
    expect(status(await cache.lookup(parts('ads'), { refresh: false }))).toBe('MISS');
  });

  test('forgets after the lifetime', async () => {
    const { cache, elapse } = start();
    cache.write(await cache.lookup(parts(), { refresh: false }), answer());
    elapse(59_000);
    expect(status(await cache.lookup(parts(), { refresh: false }))).toBe('HIT');
    elapse(2_000);
    expect(status(await cache.lookup(parts(), { refresh: false }))).toBe('MISS');
  });

  test('refreshes: forgets at once and stores the new answer', async () => {
    const { cache } = start();
    cache.write(await cache.lookup(parts(), { refresh: false }), answer());
    const refresh = await cache.lookup(parts(), { refresh: true });
    expect(refresh.status).toBe('REFRESH');
    expect(status(await cache.lookup(parts(), { refresh: false }))).toBe('MISS');
    cache.write(refresh, answer({ body: Buffer.from('{"id":"b"}') }));
    expect(bodyOf(await cache.lookup(parts(), { refresh: false }))).toBe('{"id":"b"}');
  });

  test('does not store the answer to a hit', async () => {
    const { cache } = start();
    cache.write(await cache.lookup(parts(), { refresh: false }), answer());
    cache.write(await cache.lookup(parts(), { refresh: false }), answer({ body: Buffer.from('{"id":"b"}') }));
    expect(bodyOf(await cache.lookup(parts(), { refresh: false }))).toBe(TEXT);
  });

  test('takes an entry of another version for a miss', async () => {
    const { cache, store } = start();
    const { key } = await cache.lookup(parts(), { refresh: false });
    const [version = 0, ...json] = encodeEntry(Buffer.from(TEXT));
    await store.set(key, Buffer.from([version + 1, ...json]), 60);
    expect(status(await cache.lookup(parts(), { refresh: false }))).toBe('MISS');
    await store.set(key, Buffer.alloc(0), 60);
    expect(status(await cache.lookup(parts(), { refresh: false }))).toBe('MISS');
  });

  test.for<{ rule: string; over: Partial<CacheableAnswer>; want: string | undefined }>([
    { rule: 'a plain answer', over: {}, want: TEXT },
    { rule: 'vendor JSON', over: { contentType: 'application/vnd.api+json' }, want: TEXT },
    { rule: 'an assembled stream', over: { contentType: 'text/event-stream', body: { id: 'b' } }, want: '{"id":"b"}' },
    {
      rule: 'an answer without its hook results',
      over: { body: Buffer.from('{"id":"b","hook_results":{}}') },
      want: '{"id":"b"}',
    },
    {
      rule: 'a finished response',
      over: { body: { object: 'response', status: 'incomplete' } },
      want: '{"object":"response","status":"incomplete"}',
    },
    { rule: 'nothing of status 201', over: { status: 201 }, want: undefined },
    { rule: 'nothing of status 246', over: { status: 246 }, want: undefined },
    { rule: 'nothing of status 500', over: { status: 500 }, want: undefined },
    { rule: 'no text', over: { contentType: 'text/plain' }, want: undefined },
    { rule: 'no binary', over: { contentType: 'audio/mpeg' }, want: undefined },
    { rule: 'no answer without a type', over: { contentType: undefined }, want: undefined },
    { rule: 'no JSON sequence', over: { contentType: 'application/json-seq' }, want: undefined },
    { rule: 'no broken JSON', over: { body: Buffer.from('{"id":') }, want: undefined },
    { rule: 'no empty body', over: { body: Buffer.alloc(0) }, want: undefined },
    { rule: 'no list', over: { body: Buffer.from('[]') }, want: undefined },
    { rule: 'no error under status 200', over: { body: { error: { message: 'x' } } }, want: undefined },
    { rule: 'no load of a model', over: { body: { choices: [{ finish_reason: 'load' }] } }, want: undefined },
    { rule: 'no background response', over: { body: { object: 'response', status: 'queued' } }, want: undefined },
    { rule: 'no failed response', over: { body: { object: 'response', status: 'failed' } }, want: undefined },
  ])('stores $rule', async ({ over, want }) => {
    expect(await storedAfter(over)).toBe(want);
  });

  test('stores up to its size bound', async () => {
    expect(await storedAfter({}, TEXT.length)).toBe(TEXT);
    expect(await storedAfter({}, TEXT.length - 1)).toBeUndefined();
  });
});

describe('the response cache with a broken store', () => {
  const boom = new Error('boom');
  const fail = () => Promise.reject(boom);

  test('gives no status, stores nothing and reports the error', async () => {
    const sets: string[] = [];
    const set = async (key: string) => void sets.push(key);
    const { cache, errors } = start({ get: fail, delete: fail, set });
    const found = await cache.lookup(parts(), { refresh: false });
    const refresh = await cache.lookup(parts(), { refresh: true });
    expect([found.status, refresh.status]).toEqual([undefined, undefined]);
    cache.write(found, answer());
    cache.write(refresh, answer());
    await cache.close();
    expect(sets).toEqual([]);
    expect(errors).toEqual([boom, boom]);
  });

  test('does not fail the request when a write fails', async () => {
    const { cache, errors } = start({ set: fail });
    cache.write(await cache.lookup(parts(), { refresh: false }), answer());
    await cache.close();
    expect(errors).toEqual([boom]);
  });

  test('tries a failing store three times, then once a second', async () => {
    let asked = 0;
    const get = () => {
      asked += 1;
      return fail();
    };
    const { cache, errors, elapse } = start({ get });
    for (let i = 0; i < 100; i += 1) await cache.lookup(parts(), { refresh: false });
    expect([asked, errors.length]).toEqual([3, 3]);
    elapse(1_001);
    await Promise.all(Array.from({ length: 100 }, () => cache.lookup(parts(), { refresh: false })));
    expect(asked).toBe(4);
  });

  test('waits for writes under way when it closes, and takes a bounded number of them', async () => {
    const gate = Promise.withResolvers<void>();
    let writes = 0;
    const set = async () => {
      writes += 1;
      await gate.promise;
    };
    const { cache } = start({ set });
    const miss = await cache.lookup(parts(), { refresh: false });
    for (let i = 0; i < 300; i += 1) cache.write(miss, answer());
    let closed = false;
    const closing = cache.close().then(() => (closed = true));
    await Promise.resolve();
    expect([writes, closed]).toEqual([256, false]);
    gate.resolve();
    await closing;
  });
});
