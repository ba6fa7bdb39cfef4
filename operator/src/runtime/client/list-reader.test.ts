import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ListReader } from './list-reader.ts';

function read(document: string, sizes: readonly number[]) {
  const items: unknown[] = [];
  const reader = new ListReader((text) => items.push(JSON.parse(text)));
  const bytes = Buffer.from(document);
  let at = 0;
  for (let i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    reader.push(bytes.subarray(at, at + size));
    at += size;
  }
  return { items, rest: JSON.parse(reader.rest()) as unknown };
}

test('a list read in pieces of any size gives its items and what else it says', () => {
  const member = fc.oneof(fc.constant('items'), fc.string());
  const anyValue = fc.oneof(fc.jsonValue(), fc.dictionary(member, fc.jsonValue()));
  const items = fc.array(fc.oneof(anyValue, fc.constant({ items: [1, { items: ['"]}'] }] })));
  const form = fc.record({ first: fc.boolean(), spaced: fc.boolean() });
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
  fc.assert(
    fc.property(items, anyValue, form, sizes, (list, metadata, { first, spaced }, pieces) => {
      const whole = first ? { items: list, kind: 'List', metadata } : { kind: 'List', metadata, items: list };
      const plain: unknown = JSON.parse(JSON.stringify(whole));
      const got = read(JSON.stringify(whole, undefined, spaced ? 2 : 0), pieces);
      expect({ ...(got.rest as object), items: got.items }).toEqual(plain);
      expect(got.rest).toMatchObject({ items: [] });
    }),
  );
});

test('an answer without items gives none', () => {
  expect(read('{"kind":"Status","items":null,"message":"x"}', [3])).toEqual({
    items: [],
    rest: { kind: 'Status', items: null, message: 'x' },
  });
});
