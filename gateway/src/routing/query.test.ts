import { parseQuery } from '@gatehouse/crds/config';
import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileQuery, type QueryFacts } from './query.ts';

const NOTHING: QueryFacts = {
  metadata: {},
  params: {},
  pathname: '/v1/chat/completions',
  work: { left: 1_000_000, nextSlice: async () => {} },
};
const matches = (query: unknown, facts: Partial<QueryFacts> = {}): boolean | Promise<boolean> =>
  compileQuery(unwrap(parseQuery(query)))({ ...NOTHING, ...facts });

const params = (value: unknown) => ({ params: { x: value } });

describe('a condition', () => {
  test.for<{ rule: string; query: unknown; facts?: Partial<QueryFacts>; want: boolean }>([
    { rule: 'without entries always holds', query: {}, want: true },
    { rule: 'with a bare value is equality', query: { 'params.x': 'a' }, facts: params('a'), want: true },
    { rule: 'does not coerce', query: { 'params.x': 1 }, facts: params('1'), want: false },
    { rule: 'needs all its entries', query: { 'params.x': 1, 'metadata.y': 2 }, facts: params(1), want: false },
    {
      rule: 'needs all operators of one path',
      query: { 'params.x': { $gt: 1, $lt: 3, $ne: 2 } },
      facts: params(2),
      want: false,
    },
    {
      rule: 'needs the conditions after $regex, too',
      query: { 'params.x': { $regex: 'a', $ne: 'ab' } },
      facts: params('ab'),
      want: false,
    },
    { rule: '$or needs one', query: { $or: [{ 'params.x': 1 }, { 'params.x': 2 }] }, facts: params(2), want: true },
    { rule: '$or needs its siblings, too', query: { $or: [{}], 'params.x': 1 }, facts: params(2), want: false },
    { rule: '$and needs its siblings, too', query: { $and: [{}], 'params.x': 1 }, facts: params(2), want: false },
    { rule: '$and needs all', query: { $and: [{ 'params.x': 1 }, { 'params.y': 1 }] }, facts: params(1), want: false },
    { rule: '$eq of a missing value fails', query: { 'params.x': { $eq: null } }, want: false },
    { rule: '$ne of a missing value holds', query: { 'params.x': { $ne: 'a' } }, want: true },
    { rule: '$nin of a missing value holds', query: { 'params.x': { $nin: ['a'] } }, want: true },
    { rule: '$in of a missing value fails', query: { 'params.x': { $in: ['a'] } }, want: false },
    { rule: '$gt of a missing value fails', query: { 'params.x': { $gt: 0 } }, want: false },
    { rule: '$lte compares as floats', query: { 'params.x': { $lte: '9.5' } }, facts: params('9.50'), want: true },
    { rule: '$gte does not compare as text', query: { 'params.x': { $gte: 9 } }, facts: params('10'), want: true },
    { rule: '$gt of an object fails', query: { 'params.x': { $gt: 0 } }, facts: params({ toString: 0 }), want: false },
    { rule: '$gt of no number fails', query: { 'params.x': { $gt: 'x' } }, facts: params(1), want: false },
    { rule: '$in of no list fails', query: { 'params.x': { $in: 'abc' } }, facts: params('a'), want: false },
    { rule: '$nin of no list fails', query: { 'params.x': { $nin: 'abc' } }, facts: params('a'), want: false },
    { rule: '$in does not coerce', query: { 'params.x': { $in: ['1'] } }, facts: params(1), want: false },
    { rule: '$regex is not anchored', query: { 'params.x': { $regex: 'b' } }, facts: params('abc'), want: true },
    { rule: '$regex knows case', query: { 'params.x': { $regex: 'B' } }, facts: params('abc'), want: false },
    { rule: '$regex matches texts only', query: { 'params.x': { $regex: '1' } }, facts: params(1), want: false },
    { rule: 'reads metadata', query: { 'metadata.plan': 'paid' }, facts: { metadata: { plan: 'paid' } }, want: true },
    { rule: 'reads the path', query: { 'url.pathname': { $regex: '^/v1/chat' } }, want: true },
    {
      rule: 'ignores inherited members',
      query: { 'metadata.a': 'x' },
      facts: { metadata: Object.create({ a: 'x' }) },
      want: false,
    },
    { rule: 'finds no prototype', query: { 'params.constructor': { $ne: 'x' } }, want: true },
  ])('$rule', ({ query, facts, want }) => {
    expect(matches(query, facts)).toBe(want);
  });

  test('$nin is the opposite of $in, $ne of $eq, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.jsonValue()), (value, list) => {
        expect(matches({ 'params.x': { $nin: list } }, params(value))).toBe(
          !matches({ 'params.x': { $in: list } }, params(value)),
        );
        expect(matches({ 'params.x': { $ne: value } }, params(list))).toBe(
          !matches({ 'params.x': { $eq: value } }, params(list)),
        );
      }),
    );
  });
});
