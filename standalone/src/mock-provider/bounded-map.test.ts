import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBoundedMap } from './bounded-map.ts';

test('keeps the newest entries, never more than its bounds', () => {
  const sets = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 12 })));
  fc.assert(
    fc.property(sets, (steps) => {
      const map = createBoundedMap<number, { key: number; bytes: number }>({ maxEntries: 4, maxBytes: 10 });
      for (const [key, bytes] of steps) {
        map.set(key, { key, bytes }, bytes);
        expect(map.get(key)?.bytes).toBe(bytes > 10 ? undefined : bytes);
        const values = map.values();
        expect(values.length).toBeLessThanOrEqual(4);
        expect(values.reduce((sum, value) => sum + value.bytes, 0)).toBeLessThanOrEqual(10);
      }
    }),
  );
});

test('a deleted entry frees its bytes', () => {
  const map = createBoundedMap<string, string>({ maxEntries: 4, maxBytes: 10 });
  map.set('a', 'a', 10);
  expect(map.delete('a')).toBe(true);
  expect(map.delete('a')).toBe(false);
  map.set('b', 'b', 6);
  map.set('c', 'c', 4);
  expect(map.values()).toEqual(['b', 'c']);
});
