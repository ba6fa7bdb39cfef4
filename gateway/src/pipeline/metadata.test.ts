import { fakeRequest } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Caller } from './exchange.ts';
import { metadataOf, parseBaggage, parseMetadata } from './metadata.ts';

const caller = (key: object = {}, workspace: object = {}, user?: string): Caller =>
  ({
    key: { defaults: { metadata: key, allowConfigOverride: true }, user },
    workspace: { defaults: { metadata: workspace } },
  }) as unknown as Caller; // nothing else is looked at
const of = (headers: Record<string, string>, by: Caller = caller()) => ({
  ...metadataOf(fakeRequest({ headers }), by),
});

describe('metadata', () => {
  test.for<{ rule: string; headers: Record<string, string>; by?: Caller; want: object }>([
    { rule: 'is what the request says', headers: { 'x-gw-metadata': '{"a":"1","b":2}' }, want: { a: '1', b: 2 } },
    { rule: 'that is no JSON is dropped', headers: { 'x-gw-metadata': '{a' }, want: {} },
    { rule: 'that is no object is dropped', headers: { 'x-gw-metadata': '["a"]' }, want: {} },
    {
      rule: 'lies over baggage and under the defaults of key and workspace',
      headers: { baggage: 'a=0,b=0,c=0,d=0', 'x-gw-metadata': '{"b":"1","c":"1","d":"1"}' },
      by: caller({ c: '2', d: '2' }, { d: '3' }),
      want: { a: '0', b: '1', c: '2', d: '3' },
    },
    {
      rule: 'has the user of the key, even where the request names another',
      headers: { 'x-gw-metadata': '{"_user":"mallory"}' },
      by: caller({}, {}, 'ada'),
      want: { _user: 'ada' },
    },
  ])('$rule', ({ headers, by, want }) => {
    expect(of(headers, by)).toEqual(want);
  });

  test('has the members of key and workspace before those of the client', () => {
    const metadata = of({ baggage: 'x=1,team=2', 'x-gw-metadata': '{"y":"1"}' }, caller({ team: 'a' }, { area: 'b' }));
    expect(Object.entries(metadata)).toEqual([
      ['team', 'a'],
      ['area', 'b'],
      ['x', '1'],
      ['y', '1'],
    ]);
  });

  test('has members of any name and no prototype', () => {
    const metadata = metadataOf(fakeRequest({ headers: { 'x-gw-metadata': '{"__proto__":{"x":1}}' } }), caller());
    expect(Object.getPrototypeOf(metadata)).toBeNull();
    expect(Object.keys(metadata)).toEqual(['__proto__']);
    expect(Object.keys({ ...parseBaggage('__proto__=1,constructor=2') })).toEqual(['__proto__', 'constructor']);
  });
});

describe('baggage', () => {
  test.for([
    { text: 'a=1, b = 2 ,c=3;prop=x', want: { a: '1', b: '2', c: '3' } },
    { text: 'a=%20b%2C', want: { a: ' b,' } },
    { text: 'a=%zz', want: { a: '%zz' } },
    { text: 'a=b=c', want: { a: 'b=c' } },
    { text: 'a,=b,,', want: {} },
    { text: '', want: {} },
    { text: undefined, want: {} },
  ])('$text', ({ text, want }) => {
    expect({ ...parseBaggage(text) }).toEqual(want);
  });

  test('of a client is bounded', () => {
    const text = Array.from({ length: 1_000 }, (_, i) => `k${i}=1`).join(',');
    expect(Object.keys(parseBaggage(text))).toHaveLength(64);
  });
});

test('no text is too odd for metadata and baggage', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
      expect(typeof parseMetadata(text)).toBe('object');
      expect(typeof parseBaggage(text)).toBe('object');
    }),
  );
});
