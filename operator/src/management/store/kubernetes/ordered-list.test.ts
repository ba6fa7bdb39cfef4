import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OrderedList } from './ordered-list.ts';

interface Item {
  readonly name: string;
  readonly version: number;
}

const item = (name: string, version = 1): Item => ({ name, version });
const names = (list: OrderedList<Item>) => list.items.map(({ name }) => name);
const listOf = (...items: readonly Item[]): OrderedList<Item> => {
  const list = new OrderedList<Item>(({ name }) => name);
  for (const one of items) list.add(one);
  return list;
};

test('reads are the same array until something changes, and keep what they had', () => {
  const list = listOf(item('b'), item('a'));
  const before = list.items;
  expect(list.items).toBe(before);
  list.replace(item('a'), item('a', 2));
  list.add(item('c'));
  expect(before.map(({ name, version }) => `${name}${version}`)).toEqual(['a1', 'b1']);
  expect(list.items.map(({ name, version }) => `${name}${version}`)).toEqual(['a2', 'b1', 'c1']);
});

test('an item that is not there is neither removed nor replaced', () => {
  const list = listOf(item('b'));
  list.remove(item('a'));
  list.replace(item('c'), item('c', 2));
  expect(names(list)).toEqual(['b']);
  expect(list.size).toBe(1);
});

test('the order is kept whatever comes and goes, in whatever order', () => {
  const change = fc.record({ name: fc.constantFrom(...'abcdefgh'), isRead: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const list = listOf();
      const wanted = new Set<string>();
      for (const { name, isRead } of changes) {
        if (wanted.delete(name)) list.remove(item(name));
        else {
          wanted.add(name);
          list.add(item(name));
        }
        if (isRead) expect(names(list)).toEqual([...wanted].sort());
      }
      expect(names(list)).toEqual([...wanted].sort());
    }),
  );
});
