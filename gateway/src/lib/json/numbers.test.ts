import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeJson } from './lazy.ts';
import { MAX_TOLD_BYTES, MAX_TOLD_NUMBERS, numbersIn } from './numbers.ts';

const BIG = '9007199254740993';

/** What is written of the value with the numbers of the text. */
const written = (value: object, text: string): string => writeJson(value, numbersIn(Buffer.from(text))).toString();

describe('numbers are written as they came', () => {
  test.for([
    { rule: 'an integer beyond 2^53', text: `{"a":${BIG}}` },
    { rule: 'one with many decimals', text: '{"a":0.1234567890123456789012}' },
    { rule: 'one beyond all numbers', text: '{"a":1e400}' },
    { rule: 'a zero with a sign, and one with decimals', text: '{"a":-0,"b":1.0,"c":1E3}' },
    { rule: 'in lists and objects', text: `{"a":[1,{"b":[${BIG},2]},"x"],"c":{"d":{"e":${BIG}}}}` },
    { rule: 'behind a name with escapes', text: `{"a\\"]":${BIG},"\\u0062":[${BIG}],"__proto__":{"c":${BIG}}}` },
    { rule: 'beside texts that look like them', text: `{"a":"\\\\\\" ${BIG}, {","b":${BIG}}` },
  ])('$rule', ({ text }) => {
    const plain = JSON.stringify(JSON.parse(text));
    expect(plain).not.toBe(text);
    const names = text.replaceAll('\\u0062', 'b');
    expect(written(JSON.parse(text) as object, text)).toBe(names);
  });

  test('where they are still the same, at their place', () => {
    const text = `{"model":"a","kept":${BIG},"other":${BIG},"list":[${BIG},${BIG}],"gone":{"x":${BIG}}}`;
    const value = { kept: JSON.parse(BIG), other: 5, list: [7, JSON.parse(BIG)], gone: 'x', added: JSON.parse(BIG) };
    expect(written(value, text)).toBe(
      `{"kept":${BIG},"other":5,"list":[7,${BIG}],"gone":"x","added":9007199254740992}`,
    );
  });

  test('and all else as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(3), (object, indent) => {
        const value = { ...(JSON.parse(JSON.stringify(object)) as object), left: undefined, big: JSON.parse(BIG) };
        const text = JSON.stringify({ ...object, big: 'BIG' }, null, indent).replace(/"BIG"(?=\s*}$)/, BIG);
        const plain = JSON.stringify({ ...value, big: undefined });
        const wanted = plain === '{}' ? `{"big":${BIG}}` : `${plain.slice(0, -1)},"big":${BIG}}`;
        fc.pre(
          !Object.hasOwn(object, 'big') && !Object.hasOwn(object, 'left') && !/-0|e/i.test(JSON.stringify(object)),
        );
        expect(written(value, text)).toBe(wanted);
      }),
    );
  });
});

describe('nothing is told of', () => {
  test.for([
    { rule: 'numbers as they are written anyway', text: '{"a":1,"b":[2.5,-3,1e+21],"c":"1.0"}' },
    { rule: 'what is no number', text: '{"a":01,"b":+1,"c":.5,"d":1.,"e":nul,"f":0x10}' },
    { rule: 'what is cut off', text: '{"a' },
    { rule: 'nothing', text: '' },
    { rule: 'a long text', text: `{"a":${BIG},"b":"${'x'.repeat(MAX_TOLD_BYTES)}"}` },
    {
      rule: 'many of them',
      text: `{"a":[${Array(MAX_TOLD_NUMBERS + 1)
        .fill(BIG)
        .join(',')}]}`,
    },
  ])('$rule', ({ text }) => {
    expect(numbersIn(Buffer.from(text))).toBeUndefined();
  });
});
