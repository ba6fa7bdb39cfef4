import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dateTime, decimal, httpUrl, mapList, objectName, opaque, setList, stringMap, withRules } from './index.ts';

describe('shared shapes', () => {
  test.for([
    {
      schema: objectName('name is.'),
      good: ['a', 'a-1.b', '0'],
      bad: ['', 'A', '-a', 'a-', 'a..b', 'a_b', 'a'.repeat(254)],
    },
    {
      schema: dateTime('at is.'),
      good: ['2027-01-31T00:00:00Z', '2028-02-29T23:59:59.123456789+05:30'],
      bad: [
        '2027-01-31',
        '2027-02-29T00:00:00Z',
        '2027-13-01T00:00:00Z',
        '2027-01-31T24:00:00Z',
        '2027-01-31T00:00Z',
        '2027-01-31T00:00:00',
      ],
    },
    {
      schema: decimal('price is.'),
      good: ['0', '12.50', '0.000000001', '999999999999'],
      bad: ['', '.5', '5.', '01', '-1', '1e3', '1,5', '0.0000000001', 1],
    },
    {
      schema: httpUrl('host is.'),
      good: ['http://a', 'https://a.example:8443/v1?x=1'],
      bad: ['', 'ftp://a', 'http://', 'http:///x', 'https://a b', '//a'],
    },
    {
      schema: stringMap('map is.', 1, 2),
      good: [{}, { a: 'xx' }],
      bad: [{ a: 'xxx' }, { a: '', b: '' }, { a: 1 }, { '': 'x' }],
    },
    { schema: opaque('any is.', 1), good: [{}, { a: { b: [null] } }], bad: [{ a: 1, b: 2 }, [], null] },
    {
      schema: setList(z.string(), 'set is.', 2),
      good: [[], ['a', 'b']],
      bad: [
        ['a', 'a'],
        ['a', 'b', 'c'],
      ],
    },
    {
      schema: mapList(z.object({ a: z.string(), b: z.number() }), ['a', 'b'], { description: 'map is.', max: 9 }),
      good: [
        [
          { a: 'x', b: 1 },
          { a: 'x', b: 2 },
        ],
      ],
      bad: [
        [
          { a: 'x', b: 1 },
          { a: 'x', b: 1 },
        ],
      ],
    },
  ])('$schema.description', ({ schema, good, bad }) => {
    expect(good.filter((value) => !schema.safeParse(value).success)).toEqual([]);
    expect(bad.filter((value) => schema.safeParse(value).success)).toEqual([]);
  });

  test('every duplicate of a list is reported with its index', () => {
    const result = setList(z.string(), 'set is.', 9).safeParse(['a', 'b', 'a', 'b']);
    expect(result.error?.issues.map(({ path }) => path)).toEqual([[2], [3]]);
  });

  test('times that pass are instants', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          expect(dateTime('at is.').safeParse(date.toISOString()).success).toBe(true);
        },
      ),
    );
  });
});

test('all broken rules of a node are reported, each at its own path', () => {
  const samples = { valid: [], invalid: [] };
  const schema = withRules(z.strictObject({ a: z.number(), b: z.strictObject({ c: z.number() }) }), [
    { cel: 'self.a > 0', message: 'first', at: 'a', holds: ({ a }) => a > 0, ...samples },
    { cel: 'self.b.c > 0', message: 'second', at: 'b.c', holds: ({ b }) => b.c > 0, ...samples },
    { cel: 'self.a < self.b.c', message: 'third', holds: ({ a, b }) => a < b.c, ...samples },
  ]);
  const paths = (value: unknown) => schema.safeParse(value).error?.issues.map(({ path }) => path);
  expect(paths({ a: 0, b: { c: 0 } })).toEqual([['a'], ['b', 'c'], []]);
  expect(paths({ a: 1, b: { c: 2 } })).toBeUndefined();
});

test('a time that is none has one message', () => {
  for (const time of ['soon', '2027-13-01T00:00:00Z', '2027-02-29T00:00:00Z', '2027-01-31']) {
    expect(dateTime('at is.').safeParse(time).error?.issues, time).toHaveLength(1);
  }
});

test('a duplicate is told beside other faults of its list, and only what has all keys can be one', () => {
  const item = z.strictObject({ a: z.string(), b: z.number() });
  const list = mapList(item, ['a', 'b'], { description: 'map is.', max: 9 });
  const given = [{ a: 'x', b: 1 }, { a: 'x', b: 1 }, null, null, {}, {}, { b: 2 }, { b: 2 }, { a: 'y', b: 'z' }];
  const { issues = [] } = list.safeParse(given).error ?? {};
  expect(issues.filter(({ code }) => code === 'custom').map(({ path }) => path)).toEqual([[1]]);
  expect(issues.length).toBeGreaterThan(1);
  const names = setList(z.enum(['a', 'b']), 'set is.', 9).safeParse(['a', 'c', 'a', null]).error?.issues ?? [];
  expect(names.filter(({ code }) => code === 'custom').map(({ path }) => path)).toEqual([[2]]);
});
