import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_PATTERN_LENGTH } from '../patterns/index.ts';
import { MAX_QUERY_DEPTH, parseQuery } from './query.ts';

const nested = (levels: number): object => (levels === 0 ? {} : { $and: [nested(levels - 1)] });

const all = (...parts: object[]) => ({ kind: 'all', parts });
const test1 = (operator: string, operand: unknown, subject: object = { source: 'metadata', key: 'a' }) =>
  all({ kind: 'test', subject, operator, operand });

describe('a query', () => {
  test.for([
    { rule: 'holds always when it is empty', query: {}, want: all() },
    { rule: 'compares a bare value for equality', query: { 'metadata.a': 'x' }, want: all(test1('$eq', 'x')) },
    { rule: 'compares null for equality', query: { 'metadata.a': null }, want: all(test1('$eq', null)) },
    { rule: 'takes a list as a bare value', query: { 'metadata.a': ['x'] }, want: all(test1('$eq', ['x'])) },
    {
      rule: 'reads body parameters',
      query: { 'params.temperature': { $lte: 0.5 } },
      want: all(test1('$lte', 0.5, { source: 'params', key: 'temperature' })),
    },
    {
      rule: 'reads the path of the URL',
      query: { 'url.pathname': { $regex: '^/v1/chat' } },
      want: all(test1('$regex', '^/v1/chat', { source: 'url.pathname' })),
    },
    { rule: 'keeps a group', query: { $or: [{}, {}] }, want: all({ kind: 'any', parts: [all(), all()] }) },
    { rule: 'takes names of the prototype as keys', query: { 'metadata.constructor': 1 }, want: expect.anything() },
  ])('$rule', ({ query, want }) => {
    expect(parseQuery(query)).toEqual({ ok: true, value: want });
  });

  test.for([
    { rule: 'anything but an object', query: [], at: [] },
    { rule: 'an unknown operator', query: { 'params.n': { $like: 1 } }, at: ['params.n', '$like'] },
    { rule: 'an operator of the prototype', query: { 'params.n': { toString: 1 } }, at: ['params.n', 'toString'] },
    { rule: 'a path with three segments', query: { 'params.a.b': 1 }, at: ['params.a.b'] },
    { rule: 'a path without a key', query: { 'metadata.': 1 }, at: ['metadata.'] },
    { rule: 'an unknown source', query: { 'headers.a': 1 }, at: ['headers.a'] },
    { rule: 'an empty group', query: { $and: [] }, at: ['$and'] },
    { rule: 'a group that is no list', query: { $or: {} }, at: ['$or'] },
    { rule: 'a pattern RE2 cannot run', query: { 'metadata.a': { $regex: '(?=x)' } }, at: ['metadata.a', '$regex'] },
    { rule: 'a pattern that is no text', query: { 'metadata.a': { $regex: 1 } }, at: ['metadata.a', '$regex'] },
    {
      rule: 'a pattern that is too long',
      query: { 'metadata.a': { $regex: 'a'.repeat(MAX_PATTERN_LENGTH + 1) } },
      at: ['metadata.a', '$regex'],
    },
    {
      rule: 'too many levels',
      query: nested(MAX_QUERY_DEPTH + 1),
      at: Array.from({ length: MAX_QUERY_DEPTH + 1 }, () => ['$and', 0]).flat(),
    },
  ])('is refused for $rule', ({ query, at }) => {
    expect(parseQuery(query)).toMatchObject({ ok: false, error: [{ code: 'invalid', path: at }] });
  });

  test('reports every problem, below the given path', () => {
    const result = parseQuery({ 'x.y': 1, 'metadata.a': { $bad: 1, $regex: '(' } }, ['query']);
    const paths = result.ok ? [] : result.error.map(({ path }) => path.join(' '));
    expect(paths).toEqual(['query x.y', 'query metadata.a $bad', 'query metadata.a $regex']);
  });

  test('accepts the deepest allowed nesting and never throws', () => {
    expect(parseQuery(nested(MAX_QUERY_DEPTH)).ok).toBe(true);
    fc.assert(fc.property(fc.jsonValue(), (value) => void parseQuery(value)));
  });
});
