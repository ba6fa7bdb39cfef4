import fc from 'fast-check';
import { expect, test } from 'vitest';
import { brokenTextAt, withoutBrokenText } from './broken-text.ts';

test.for<[unknown, readonly (string | number)[] | undefined]>([
  ['plain', undefined],
  ['Grüße 😀', undefined],
  [{ a: [1, null, true, { b: 'c' }] }, undefined],
  ['a\0', []],
  [{ a: ['b', { c: 'x\ud800' }] }, ['a', 1, 'c']],
  [{ a: { 'b\0': 1 } }, ['a']],
])('%j is broken at %j', ([value, want]) => {
  expect(brokenTextAt(value)).toEqual(want);
});

test('JSON keeps everything but what is no text', () => {
  const value = { a: 'x\0y', b: '\\u0000', c: 'half \ud800 a pair', d: '😀', 'e\0': '\n\t"' };
  expect(JSON.parse(withoutBrokenText(JSON.stringify(value)))).toEqual({
    ...{ a: 'x\ufffdy', b: '\\u0000', c: 'half \ufffd a pair', d: '😀' },
    'e\ufffd': '\n\t"',
  });
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (given) => {
      const kept: unknown = JSON.parse(withoutBrokenText(JSON.stringify(given)));
      expect(brokenTextAt(kept)).toBeUndefined();
      if (brokenTextAt(given) === undefined) expect(JSON.stringify(kept)).toBe(JSON.stringify(given));
    }),
  );
});
