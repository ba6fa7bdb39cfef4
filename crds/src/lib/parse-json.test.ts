import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from './parse-json.ts';

/** Each character of the names as an escape. */
const escaped = (name: string): string =>
  name.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The text of a value, with escaped names and white space. */
function toText(value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.map(toText).join(' ,')}\n]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, each]) => `"${escaped(name)}" : ${toText(each)}`)}}`;
}

describe('JSON of others', () => {
  test.for([
    { first: '{"model":1,"engin\\\\":1}', text: '{"model":"small","engin\\u0065":"big"}', name: 'engine' },
    { first: '{"type":1,"pr\\\\":1}', text: '{"type":"object","pr\\u00e9":2}', name: 'pré' },
    { first: '{"q":1,"a\\\\\\"":1}', text: '{"q":1,"a\\"b":2}', name: 'a"b' },
    { first: '{"n":1,"fallback\\\\":1}', text: '{"n":[{"n":1,"fallback\\u0073":2}]}', name: 'fallbacks' },
  ])('has the name $name, whatever was read before', ({ first, text, name }) => {
    parseJson(first);
    expect(JSON.stringify(parseJson(text))).toContain(`${JSON.stringify(name)}:`);
  });

  test('is not read by JSON.parse alone, which this Node gets wrong', () => {
    JSON.parse('{"pinned":1,"nam\\\\":1}');
    // When this fails, Node reads escaped names as they are, and parseJson may go.
    expect(Object.keys(JSON.parse('{"pinned":1,"nam\\u0065":1}'))).toEqual(['pinned', 'nam\\']);
  });

  test('is what was written, with escaped names or without', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const expected = JSON.parse(JSON.stringify(value));
        expect(parseJson(toText(expected))).toEqual(expected);
        expect(parseJson(JSON.stringify(expected))).toEqual(expected);
      }),
    );
  });

  test.for(['{"a\\u0062":1', '{"\\x":1}', '{"a\\u0062":01}', '"\\"":', '{"\\u0061":1}x'])('is an error: %s', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  test.for([
    { text: '{"\\u005f_proto__":{"x":1}}', value: JSON.parse('{"__proto__":{"x":1}}') },
    { text: '{"\\u0061":1,"a":-2.5e3}', value: { a: -2500 } },
    { text: '{"a":"\\\\\\":","\\u0062":["\\"",true,null,{}]}', value: { a: '\\":', b: ['"', true, null, {}] } },
    { text: ' "\\":" ', value: '":' },
  ])('with escapes is the value that it stands for: $text', ({ text, value }) => {
    expect(parseJson(text)).toStrictEqual(value);
  });
});
