import fc from 'fast-check';
import { expect, test } from 'vitest';
import { updateSorted } from './sorted-list.ts';

interface Item {
  readonly key: string;
}
const keyOf = ({ key }: Item): string => key;
const keys = fc.uniqueArray(fc.string({ maxLength: 3 }), { maxLength: 40 });

test('an updated list equals the list sorted from scratch', () => {
  fc.assert(
    fc.property(keys, keys, keys, (held, leaving, coming) => {
      const before = held.toSorted().map((key) => ({ key }));
      const left = new Set(before.filter(({ key }) => leaving.includes(key)));
      const kept = before.filter((item) => !left.has(item));
      const came = coming.filter((key) => !kept.some((item) => item.key === key)).map((key) => ({ key }));
      const after = updateSorted(before, { left, came }, keyOf);
      expect(after.map(keyOf)).toEqual([...kept, ...came].map(keyOf).toSorted());
      expect(after.filter((item) => before.includes(item))).toEqual(kept);
    }),
  );
});

test('a list without changes stays the same list', () => {
  const before = [{ key: 'a' }];
  expect(updateSorted(before, { left: new Set(), came: [] }, keyOf)).toBe(before);
});
