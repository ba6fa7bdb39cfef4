import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonDepth } from './json-depth.ts';

const depthOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
};

describe('the depth of JSON text', () => {
  test.for([
    { rule: 'a scalar has none', text: '1', want: 0 },
    { rule: 'lists and objects count alike', text: '{"a":[{"b":[]}]}', want: 4 },
    { rule: 'siblings do not add up', text: '[[],[],[[]]]', want: 3 },
    { rule: 'brackets in strings do not count', text: '{"a":"[[[[{{{{"}', want: 1 },
    { rule: 'an escaped quote does not end a string', text: String.raw`["\"[[[","\\",[1]]`, want: 2 },
    { rule: 'names are strings, too', text: '{"[[[":{"{{":1}}', want: 2 },
    { rule: 'a string that never ends holds everything behind it', text: '["[[[', want: 1 },
  ])('$rule', ({ text, want }) => {
    expect(jsonDepth(Buffer.from(text), 100)).toBe(want);
  });

  test('is that of the value, for any value and spacing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        expect(jsonDepth(Buffer.from(JSON.stringify(value, null, space)), 100)).toBe(depthOf(value));
      }),
    );
  });

  test('is not counted beyond the limit', () => {
    expect(jsonDepth(Buffer.from('['.repeat(1_000_000)), 10)).toBe(11);
  });
});
