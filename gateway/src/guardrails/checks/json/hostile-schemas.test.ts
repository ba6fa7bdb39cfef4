/** Schemas of attackers: they end with a verdict or an error, and the event loop goes on meanwhile. */
import { expect, test } from 'vitest';
import { MAX_WORK_MS, outcomeOf, subjectOf, watchCheck } from '../../testing.ts';

const LEVELS = 40;

/** Schemas of which each applies the next one twice. */
const doubled = (keyword: 'anyOf' | 'allOf' | 'oneOf') =>
  Object.fromEntries(
    Array.from({ length: LEVELS }, (_, i) => {
      const next = i === LEVELS - 1 ? { type: 'null' } : { $ref: `#/$defs/s${i + 1}` };
      return [`s${i}`, { [keyword]: [next, keyword === 'allOf' ? true : next] }];
    }),
  );

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const lists = (count: number): number[][] => numbers(count).map((i) => [i]);

test.for<[what: string, schema: object, value: unknown, want: string]>([
  ['branches that double at every level', { $defs: doubled('anyOf'), $ref: '#/$defs/s0' }, 1, 'F e'],
  ['branches of which one must hold', { $defs: doubled('oneOf'), $ref: '#/$defs/s0' }, 1, 'F e'],
  [
    'branches of a condition',
    {
      $defs: { s: { if: { $ref: '#/$defs/t' }, else: { $ref: '#/$defs/t' } }, t: { not: { $ref: '#/$defs/s' } } },
      $ref: '#/$defs/s',
    },
    1,
    'F e',
  ],
  ['a reference to itself', { $ref: '#' }, 1, 'F e'],
  [
    'references in a circle',
    { $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
    1,
    'F e',
  ],
  ['a dynamic reference to itself', { $dynamicAnchor: 'a', $dynamicRef: '#a' }, 1, 'F e'],
  ['a negation of itself', { not: { $ref: '#' } }, 1, 'F e'],
  [
    'members that lead to themselves',
    { properties: { a: { $ref: '#' } }, additionalProperties: false },
    { a: { a: { b: 1 } } },
    'F',
  ],
  ['many different numbers', { uniqueItems: true }, numbers(150_000), 'T'],
  ['many different lists', { uniqueItems: true }, lists(99_998), 'T'],
  ['a list twice among many', { uniqueItems: true }, [...lists(99_998), [5]], 'F'],
  ['many values for many items', { items: { enum: [...lists(20_000), 'x'] } }, lists(50_000), 'F'],
  ['many scalars for many items', { items: { enum: numbers(50_000) } }, numbers(50_000), 'T'],
  [
    'many names for many items',
    { items: { required: numbers(10_000).map(String) } },
    numbers(10_000).map(() => ({})),
    'F',
  ],
  [
    'many patterns for many members',
    { patternProperties: Object.fromEntries(numbers(60).map((i) => [`^(a|b|${i})*cd$`, false])) },
    Object.fromEntries(numbers(20_000).map((i) => [`abcd${i}x`, i])),
    'F e',
  ],
  ['a pattern on a long text', { pattern: '([a-z ]*)*(a|aa)+([^b]*)(\\s|\\w)+$' }, 'ab'.repeat(500_000), 'T'],
  [
    'lengths of a long text',
    { allOf: numbers(2_000).map(() => ({ maxLength: 9_999_999 })) },
    'a'.repeat(1_000_000),
    'F e',
  ],
  [
    'formats of a long text',
    { anyOf: ['uri', 'json-pointer', 'email', 'duration', 'time'].map((format) => ({ format })) },
    '/'.repeat(1_000_000),
    'T',
  ],
  [
    'members that every branch looks at',
    { anyOf: numbers(200).map(() => ({ additionalProperties: true })), unevaluatedProperties: false },
    Object.fromEntries(numbers(80_000).map((i) => [i, i])),
    'F e',
  ],
  ['numbers far apart', { items: { multipleOf: 1e-300 } }, numbers(20_000).map((i) => (i + 0.5) * 1e300), 'T'],
])('%s', { timeout: 60_000 }, async ([, schema, value, want]) => {
  const { answer, most } = await watchCheck('jsonSchema', { schema }, subjectOf([JSON.stringify(value)]));
  expect(outcomeOf(answer)).toBe(want);
  expect(most).toBeLessThan(MAX_WORK_MS);
});
