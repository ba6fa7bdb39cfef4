import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonScan } from './scan.ts';

const LIMITS = { depth: 100, nodes: 10_000, stringBytes: 1_000 };
function scan(text: string, limits = LIMITS) {
  const bytes = Buffer.from(text);
  const all = new JsonScan(bytes, limits);
  expect(all.run(bytes.length)).toBe(true);
  return all.problem;
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Objects here have no name twice: they come from values. */
const anyJson = fc.tuple(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t\r\n'));

describe('JSON text', () => {
  test('of any value passes, however it is spaced', () => {
    fc.assert(
      fc.property(anyJson, ([value, space]) => {
        expect(scan(JSON.stringify(value, null, space))).toBeUndefined();
      }),
    );
  });

  test('that passes after a piece was lost or moved is JSON, except inside strings and scalars', () => {
    const pieces = fc.tuple(fc.nat(40), fc.nat(10), fc.constantFrom('', ',', ':', '{', '}', '[', ']', '"a"', '1'));
    fc.assert(
      fc.property(anyJson, pieces, ([value, space], [at, length, put]) => {
        const text = JSON.stringify(value, null, space);
        const changed = text.slice(0, at) + put + text.slice(at + length);
        fc.pre(!changed.includes('\\'));
        if (scan(changed) === undefined) expect(isJson(changed.replaceAll(/[-+.\w]+(?=[\s,\]}:]|$)/g, '1'))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test.for([
    { rule: 'nothing', text: '' },
    { rule: 'white space', text: ' \n' },
    { rule: 'a list that does not end', text: '[1' },
    { rule: 'an end that fits nothing', text: '{"a":[1}]' },
    { rule: 'a comma before the end', text: '[1,]' },
    { rule: 'a comma before a name', text: '{,"a":1}' },
    { rule: 'a name without a value', text: '{"a"}' },
    { rule: 'a value without a name', text: '{1}' },
    { rule: 'a second value', text: '{} {}' },
    { rule: 'two values without a comma', text: '["a" "b"]' },
    { rule: 'a string that does not end', text: '["a\\"]' },
    { rule: 'a name that does not end', text: '{"a' },
    { rule: 'a character that begins nothing', text: "{'a':1}" },
    { rule: 'a comment', text: '[1/*2*/]' },
    { rule: 'a byte order mark', text: '\ufeff{}' },
    { rule: 'a name with an escape that is none', text: String.raw`{"\x":1}` },
  ])('is malformed with $rule', ({ text }) => {
    expect(scan(text)).toEqual({ kind: 'malformed' });
  });

  test.for([
    { rule: 'levels', text: `${'['.repeat(100)}${']'.repeat(100)}`, over: `${'['.repeat(101)}`, kind: 'depth' },
    { rule: 'values', text: `[${'1,'.repeat(9_998)}1]`, over: `[${'1,'.repeat(9_999)}1]`, kind: 'nodes' },
    {
      rule: 'values and names',
      text: `[${'{"a":1},'.repeat(3_333)}]`.replace(',]', ']'),
      over: `[${'{"a":1},'.repeat(3_334)}]`,
      kind: 'nodes',
    },
    { rule: 'bytes in a string', text: `"${'x'.repeat(1_000)}"`, over: `"${'x'.repeat(1_001)}"`, kind: 'string' },
    { rule: 'bytes in a name', text: `{"${'x'.repeat(1_000)}":1}`, over: `{"${'x'.repeat(1_001)}":1}`, kind: 'string' },
    { rule: 'bytes in a number', text: '1'.repeat(1_000), over: '1'.repeat(1_026), kind: 'string' },
  ])('has a limit of $rule', ({ text, over, kind }) => {
    expect(scan(text)).toBeUndefined();
    expect(scan(over)).toEqual({ kind });
  });

  test('a string with quotes and backslashes in it ends where the parser says it does', () => {
    const content = fc.array(fc.constantFrom('"', '\\', 'x'.repeat(70), '\\"', 'é', '\n'), { maxLength: 40 });
    fc.assert(
      fc.property(content, (parts) => {
        expect(scan(JSON.stringify([parts.join(''), 1]), { ...LIMITS, stringBytes: 100_000 })).toBeUndefined();
      }),
    );
  });
});

describe('a member name', () => {
  test.for([
    { rule: 'a control character', bytes: Buffer.from('{"a\n":1}') },
    { rule: 'a control character behind an escape', bytes: Buffer.from('{"\\u0061\n":1}') },
    { rule: 'bytes that are not UTF-8', bytes: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) },
    { rule: 'such bytes behind an escape', bytes: Buffer.from([0x7b, 0x22, 0x5c, 0x6e, 0xff, 0x22, 0x3a, 0x31, 0x7d]) },
  ])('is malformed with $rule', ({ bytes }) => {
    const all = new JsonScan(bytes, LIMITS, { paused: true, members: 10 });
    expect(all.run(bytes.length)).toBe(true);
    expect(all.problem).toEqual({ kind: 'malformed' });
  });

  test('may be another half of a surrogate pair', () => {
    expect(scan(String.raw`{"\ud800":1,"\udbff":2,"\udc00":3,"\ufffd":4}`)).toBeUndefined();
    expect(scan(String.raw`{"\ud800":1,"\uD800":2}`)).toEqual({ kind: 'duplicate', name: '\ud800' });
  });

  test.for([
    { rule: 'as it is', text: '{"model":"a","model":"b"}', name: 'model' },
    { rule: 'with escapes', text: String.raw`{"model":"a","mod\u0065l":"b"}`, name: 'model' },
    { rule: 'with escapes first', text: String.raw`{"mod\u0065l":"a","model":"b"}`, name: 'model' },
    { rule: 'with escapes both times', text: String.raw`{"mod\u0065l":"a","\u006dodel":"b"}`, name: 'model' },
    { rule: 'beyond ASCII', text: String.raw`{"é":1,"\u00e9":2}`, name: 'é' },
    { rule: 'that is empty', text: '{"":1,"":2}', name: '' },
    { rule: 'far apart', text: `{"a":1,${Array.from({ length: 900 }, (_, at) => `"k${at}":[1]`)},"a":2}`, name: 'a' },
    { rule: 'deep inside', text: '[[{"x":{"y":{},"z":1,"y":{}}}]]', name: 'y' },
  ])('twice in an object is found: $rule', ({ text, name }) => {
    expect(scan(text)).toEqual({ kind: 'duplicate', name });
  });

  test.for([
    { rule: 'in other objects', text: '[{"a":{"a":{"a":1}}},{"a":1}]' },
    { rule: 'that only looks alike', text: '{"model":1,"Model":2,"model ":3,"mode":4,"models":5}' },
    { rule: 'as a value', text: '{"a":"a","b":"a"}' },
  ])('may stand again $rule', ({ text }) => {
    expect(scan(text)).toBeUndefined();
  });

  test('of thousands is distinguished from all others', () => {
    const names = Array.from({ length: 4_000 }, (_, at) => `"k${at}":0`);
    expect(scan(`{${names}}`)).toBeUndefined();
    expect(scan(`{${names},"k1234":0}`)).toEqual({ kind: 'duplicate', name: 'k1234' });
  });
});

describe('a scan with pauses', () => {
  test('finds what one without them finds, and where the members lie', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer({ min: 1, max: 9 }), (value, step) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const paused = new JsonScan(bytes, LIMITS, { paused: true, members: 100 });
        for (let until = step; !paused.run(until); until += step);
        expect(paused.problem).toBeUndefined();
        const read = paused.members?.map(({ name, start, end }) => [
          name,
          JSON.parse(bytes.toString('utf8', start, end)),
        ]);
        expect(read).toEqual(Object.entries(JSON.parse(bytes.toString())));
      }),
    );
  });

  test('may run beside others', () => {
    const texts = ['{"a":1,"b":2}', '{"a":3,"c":4}'].map((text) => Buffer.from(text));
    const scans = texts.map((bytes) => new JsonScan(bytes, LIMITS, { paused: true }));
    for (let until = 1; until <= 14; until += 1) for (const each of scans) each.run(until);
    expect(scans.map(({ problem }) => problem)).toEqual([undefined, undefined]);
  });

  test('notes no members when there are more than are wanted', () => {
    const few = new JsonScan(Buffer.from('{"a":1,"b":2}'), LIMITS, { paused: true, members: 1 });
    expect(few.run(100)).toBe(true);
    expect(few.members).toBeUndefined();
  });
});
