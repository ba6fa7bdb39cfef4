import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LayeredMap } from './layered-map.ts';

const toMap = (map: LayeredMap<number>): Map<string, number> => {
  const all = new Map<string, number>();
  map.forEach((value, key) => {
    all.set(key, value);
  });
  return all;
};

describe('a layered map', () => {
  test('equals a plain map after any changes, and leaves the maps it was made from unchanged', () => {
    const step = fc.uniqueArray(
      fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.option(fc.nat(9), { nil: undefined })),
      {
        selector: ([key]) => key,
      },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const plain = new Map<string, number>();
        let layered = new LayeredMap<number>();
        for (const changes of steps) {
          const [before, content] = [layered, toMap(layered)];
          layered = layered.with(new Map(changes));
          for (const [key, value] of changes) {
            if (value === undefined) plain.delete(key);
            else plain.set(key, value);
          }
          expect(toMap(before)).toEqual(content);
          expect(toMap(layered)).toEqual(plain);
          expect(layered.size).toBe(plain.size);
          const differing = ['a', 'b', 'c', 'd'].filter((key) => before.get(key) !== layered.get(key));
          expect([...(layered.differingFrom(before) ?? [])].toSorted()).toEqual(differing);
        }
      }),
    );
  });

  test('is the same map when nothing changes, and compacts a long history', () => {
    const map = new LayeredMap(new Map([['a', 1]]));
    expect(map.with(new Map())).toBe(map);
    const many = new Map(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i] as const));
    const grown = map.with(many).with(new Map([['a', undefined]]));
    expect(grown.differingFrom(map)).toBeUndefined();
    expect([grown.size, grown.get('a'), grown.get('k4999')]).toEqual([5_000, undefined, 4_999]);
  });
});
