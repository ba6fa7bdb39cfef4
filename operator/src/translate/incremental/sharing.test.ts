import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sharing } from './sharing.ts';

test('a value that shares its equal parts with another one is still the same value', () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(value, value, (a, b) => {
      const shared = sharing(structuredClone(a), b);
      expect(shared).toEqual(a);
    }),
  );
});

test('an equal value becomes the other one, and so do equal parts of a different one', () => {
  const model = { list: [{ a: 1 }, { b: [2] }], text: 'x', more: {} };
  expect(sharing(structuredClone(model), model)).toBe(model);
  const other = sharing({ ...structuredClone(model), extra: true }, model);
  expect(other).not.toBe(model);
  expect(other.list).toBe(model.list);
  const longer = sharing({ list: [{ a: 1 }, { b: [2, 3] }, 4] }, model);
  expect(longer).toEqual({ list: [{ a: 1 }, { b: [2, 3] }, 4] });
  expect(longer.list[0]).toBe(model.list[0]);
});

test('a member that is undefined is no missing one, and a list is no object', () => {
  expect(sharing<object>({ a: undefined }, {})).toStrictEqual({ a: undefined });
  expect(sharing<object>({}, { a: undefined })).toStrictEqual({});
  expect(sharing<object>([], {})).toStrictEqual([]);
  expect(sharing<object>({ toString: undefined }, {})).toStrictEqual({ toString: undefined });
});
