import { describe, expect, test } from 'vitest';
import { createMemoryStateStore, createRedisStateStore } from '../../../gateway/src/store/index.ts';
import { throughParent } from '../through-parent.ts';
import { memoryVariant, redisVariants } from './harness.ts';

const VARIANTS = [
  memoryVariant((now) => createMemoryStateStore({ now })),
  memoryVariant((now) => throughParent({ states: createMemoryStateStore({ now }) }).states, 'memory of the parent'),
  ...redisVariants(createRedisStateStore),
];

describe.for(VARIANTS)('a state store: $name', ({ available, open }) => {
  test.runIf(available)('gives what was set, replaces it and deletes it', async () => {
    await using bench = await open();
    const { store } = bench;
    expect(await store.get('a')).toBeUndefined();
    await store.set('a', 'one', 60);
    await store.set('b', '', 60);
    expect([await store.get('a'), await store.get('b')]).toEqual(['one', '']);
    await store.set('a', 'zwei 😀', 60);
    expect(await store.get('a')).toBe('zwei 😀');
    await store.delete('a');
    await store.delete('never set');
    expect([await store.get('a'), await store.get('b')]).toEqual([undefined, '']);
  });

  test.runIf(available)('forgets after the lifetime, which replacing starts anew', async () => {
    await using bench = await open();
    const { store, outlive } = bench;
    await store.set('short', 'x', 60);
    await store.set('long', 'x', 60);
    await store.set('renewed', 'x', 1);
    await store.set('renewed', 'y', 60);
    expect(await store.get('short')).toBe('x');
    await store.set('short', 'x', 1); // asked for after its lifetime only, which may be over at once on a busy machine
    await outlive(1);
    expect([await store.get('short'), await store.get('long'), await store.get('renewed')]).toEqual([
      undefined,
      'x',
      'y',
    ]);
  });

  test.runIf(available)('serves many at once', async () => {
    await using bench = await open();
    const { store } = bench;
    const keys = Array.from({ length: 500 }, (_, i) => `key-${i}`);
    await Promise.all(keys.map((key) => store.set(key, `of ${key}`, 60)));
    expect(await Promise.all(keys.map((key) => store.get(key)))).toEqual(keys.map((key) => `of ${key}`));
  });
});

test('a state store in memory keeps a bounded number of keys, the ones used last', async () => {
  const store = createMemoryStateStore({ now: Date.now, maxEntries: 2 });
  await store.set('a', '1', 60);
  await store.set('b', '2', 60);
  await store.get('a');
  await store.set('c', '3', 60);
  expect([await store.get('a'), await store.get('b'), await store.get('c')]).toEqual(['1', undefined, '3']);
});
