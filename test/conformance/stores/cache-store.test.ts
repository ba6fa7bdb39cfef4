import { describe, expect, test } from 'vitest';
import { type CacheStore, createMemoryCacheStore, createRedisCacheStore } from '../../../gateway/src/cache/index.ts';
import { throughParent } from '../through-parent.ts';
import { memoryVariant, redisVariants } from './harness.ts';

const MAX_ENTRY_BYTES = 64 * 1024;
const VARIANTS = [
  memoryVariant<CacheStore>((now) => createMemoryCacheStore({ now, maxEntryBytes: MAX_ENTRY_BYTES })),
  memoryVariant<CacheStore>(
    (now) => throughParent({ answers: createMemoryCacheStore({ now, maxEntryBytes: MAX_ENTRY_BYTES }) }).answers,
    'memory of the parent',
  ),
  ...redisVariants<CacheStore>((connection) => createRedisCacheStore(connection, { maxEntryBytes: MAX_ENTRY_BYTES })),
];

const ALL_BYTES = Buffer.from(Array.from({ length: 512 }, (_, i) => i % 256));

describe.for(VARIANTS)('a cache store: $name', ({ available, open }) => {
  test.runIf(available)('gives the very bytes, replaces and deletes them', async () => {
    await using bench = await open();
    const { store } = bench;
    expect(await store.get('a')).toBeUndefined();
    await store.set('a', ALL_BYTES, 60);
    await store.set('empty', Buffer.alloc(0), 60);
    expect(await store.get('a')).toEqual(ALL_BYTES);
    expect(await store.get('empty')).toEqual(Buffer.alloc(0));
    await store.set('a', Buffer.from('b'), 60);
    expect(await store.get('a')).toEqual(Buffer.from('b'));
    await store.delete('a');
    await store.delete('never set');
    expect(await store.get('a')).toBeUndefined();
    await store.close();
  });

  test.runIf(available)('keeps its own copy', async () => {
    await using bench = await open();
    const bytes = Buffer.from('abc');
    await bench.store.set('a', bytes, 60);
    bytes.fill(0);
    expect(await bench.store.get('a')).toEqual(Buffer.from('abc'));
  });

  test.runIf(available)('forgets after the lifetime', async () => {
    await using bench = await open();
    const { store, outlive } = bench;
    await store.set('short', ALL_BYTES, 60);
    await store.set('long', ALL_BYTES, 60);
    expect(await store.get('short')).toBeDefined();
    await store.set('short', ALL_BYTES, 1); // asked for after its lifetime only, which may be over at once on a busy machine
    await outlive(1);
    expect(await store.get('short')).toBeUndefined();
    expect(await store.get('long')).toBeDefined();
  });

  test.runIf(available)('keeps the largest entry, and of one byte more neither the new nor the old', async () => {
    await using bench = await open();
    const { store } = bench;
    await store.set('a', Buffer.alloc(MAX_ENTRY_BYTES, 1), 60);
    expect((await store.get('a'))?.length).toBe(MAX_ENTRY_BYTES);
    await store.set('a', Buffer.alloc(MAX_ENTRY_BYTES + 1, 2), 60);
    expect(await store.get('a')).toBeUndefined();
  });

  test.runIf(available)('serves many at once', async () => {
    await using bench = await open();
    const { store } = bench;
    const keys = Array.from({ length: 300 }, (_, i) => `key-${i}`);
    await Promise.all(keys.map((key) => store.set(key, Buffer.from(key.repeat(100)), 60)));
    const found = await Promise.all(keys.map((key) => store.get(key)));
    expect(found.map(String)).toEqual(keys.map((key) => key.repeat(100)));
  });
});

test('a cache store in memory holds a bounded number of bytes, those used last', async () => {
  const store = createMemoryCacheStore({ now: Date.now, maxBytes: 30_000, maxEntryBytes: 20_000 });
  for (const key of ['a', 'b', 'c']) {
    await store.set(key, Buffer.alloc(10_000), 60);
    await store.get('a');
  }
  expect([await store.get('a'), await store.get('b'), await store.get('c')].map((value) => value?.length)).toEqual([
    10_000,
    undefined,
    10_000,
  ]);
});

test('a cache store in memory does not keep what is larger than all of it', async () => {
  const store = createMemoryCacheStore({ now: Date.now, maxBytes: 1_000, maxEntryBytes: 20_000 });
  await store.set('a', Buffer.alloc(2_000), 60);
  expect(await store.get('a')).toBeUndefined();
});
