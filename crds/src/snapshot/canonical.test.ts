import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, digestOf } from './canonical.ts';

describe('canonical JSON', () => {
  test.for([
    {
      rule: 'writes the example of RFC 8785 section 3.2.2',
      value: {
        numbers: JSON.parse('[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001]'),
        string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
        literals: [null, true, false],
      },
      want: '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    },
    {
      rule: 'sorts by UTF-16 code units, as in RFC 8785 section 3.2.3',
      value: { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 },
      want: '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
    },
    { rule: 'writes negative zero as zero', value: -0, want: '0' },
    { rule: 'keeps the order of lists', value: [3, 1, { b: 1, a: [] }], want: '[3,1,{"a":[],"b":1}]' },
    { rule: 'leaves out members that are undefined', value: { a: undefined, b: [undefined] }, want: '{"b":[null]}' },
    { rule: 'writes scalars and empty values', value: ['', {}, [], null], want: '["",{},[],null]' },
    {
      rule: 'takes names of the prototype as members',
      value: JSON.parse('{"b":1,"__proto__":2}'),
      want: '{"__proto__":2,"b":1}',
    },
  ])('$rule', ({ value, want }) => {
    expect(canonicalJson(value)).toBe(want);
  });

  test('is equivalent JSON, whatever the order of members', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, member]) => [key, reversed(member)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(canonicalJson(reversed(value))).toBe(text);
      }),
    );
  });
});

test('a digest is lower-case SHA-256 of the canonical text', () => {
  expect(digestOf({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  expect(digestOf({ b: 1, a: 2 })).toBe(digestOf({ a: 2, b: 1 }));
});
