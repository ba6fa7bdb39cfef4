import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  atomicList,
  dateTime,
  flag,
  int,
  mapList,
  opaque,
  type Rule,
  setList,
  stringMap,
  text,
  withRules,
} from '../src/schema/index.ts';
import { toStructural } from './structural.ts';

const schemaOf = (schema: z.ZodType) => toStructural(schema, 'spec').schema;

const POSITIVE: Rule<{ a?: number | undefined }> = {
  cel: '!has(self.a) || self.a > 0',
  message: 'a must be positive',
  at: 'a',
  holds: ({ a }) => a === undefined || a > 0,
  valid: [{}],
  invalid: [{ a: 0 }],
};

interface Tree {
  readonly below?: readonly Tree[] | undefined;
  readonly leaf?: string | undefined;
}
const READS_BELOW: Rule<Tree> = {
  cel: '!has(self.below) || self.below.all(b, has(b.leaf))',
  message: 'leaves everywhere',
  into: 'below',
  holds: () => true,
  valid: [],
  invalid: [],
};
const tree: z.ZodType<Tree> = withRules(
  z.strictObject({
    leaf: text('leaf is text.', 9).optional(),
    get below(): z.ZodOptional<z.ZodArray<z.ZodType<Tree>>> {
      const meta = {
        description: 'below is more.',
        listType: 'atomic',
        recursive: true,
        recursiveMaxItems: 5,
      } as const;
      return z.array(tree).max(50).meta(meta).optional();
    },
  }),
  [READS_BELOW],
);

describe('a schema becomes structural', () => {
  test.for([
    {
      rule: 'text with bounds',
      schema: text('a is.', 9),
      want: { description: 'a is.', type: 'string', minLength: 1, maxLength: 9 },
    },
    {
      rule: 'a small integer',
      schema: int('a is.', 0, 9),
      want: { type: 'integer', format: 'int32', minimum: 0, maximum: 9 },
    },
    {
      rule: 'a large integer',
      schema: int('a is.', 0, 2 ** 40),
      want: { type: 'integer', format: 'int64', maximum: 2 ** 40 },
    },
    { rule: 'an integer without bounds of its own', schema: z.int(), want: { type: 'integer', format: 'int64' } },
    {
      rule: 'a float',
      schema: z.number().gt(0).max(2),
      want: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 2 },
    },
    { rule: 'an enum', schema: z.enum(['a', 'b']), want: { type: 'string', enum: ['a', 'b'] } },
    {
      rule: 'a pattern',
      schema: z.string().max(3).regex(/^a+$/),
      want: { type: 'string', pattern: '^a+$', maxLength: 3 },
    },
    { rule: 'a time', schema: dateTime('a is.'), want: { type: 'string', format: 'date-time' } },
    {
      rule: 'a default',
      schema: flag('a is.', false),
      want: { description: 'a is.', type: 'boolean', default: false },
    },
    {
      rule: 'a map',
      schema: stringMap('a is.', 3, 9),
      want: { type: 'object', maxProperties: 3, additionalProperties: { type: 'string', maxLength: 9 } },
    },
    {
      rule: 'an opaque object',
      schema: opaque('a is.', 3),
      want: { type: 'object', maxProperties: 3, 'x-kubernetes-preserve-unknown-fields': true },
    },
    {
      rule: 'an opaque value',
      schema: z.union([z.string(), z.array(z.unknown())]).meta({ opaque: true }),
      want: { 'x-kubernetes-preserve-unknown-fields': true },
    },
    {
      rule: 'an integer or text',
      schema: z.union([
        z.int().min(0),
        z
          .string()
          .max(9)
          .regex(/^[0-9]+m$/),
      ]),
      want: { 'x-kubernetes-int-or-string': true, pattern: '^[0-9]+m$', maxLength: 9, minimum: 0 },
    },
    {
      rule: 'an atomic list',
      schema: atomicList(z.string().max(1), 'a is.', 2),
      want: { type: 'array', maxItems: 2, 'x-kubernetes-list-type': 'atomic' },
    },
    { rule: 'a set', schema: setList(z.string().max(1), 'a is.', 2), want: { 'x-kubernetes-list-type': 'set' } },
    {
      rule: 'a keyed list',
      schema: mapList(z.strictObject({ k: z.string() }), ['k'], { description: 'a is.', max: 2 }),
      want: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
    },
    {
      rule: 'a list keyed by a default',
      schema: mapList(z.strictObject({ k: z.string().default('x') }), ['k'], { description: 'a is.', max: 2 }),
      want: { 'x-kubernetes-list-map-keys': ['k'] },
    },
    {
      rule: 'an object: required, optional and defaulted members',
      schema: z.strictObject({ a: z.string(), b: z.string().optional(), c: z.string().default('x') }),
      want: {
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'string' }, b: { type: 'string' }, c: { default: 'x' } },
      },
    },
    {
      rule: 'a rule',
      schema: withRules(z.strictObject({ a: z.number().optional() }), [POSITIVE]),
      want: { 'x-kubernetes-validations': [{ rule: POSITIVE.cel, message: POSITIVE.message, fieldPath: '.a' }] },
    },
  ])('$rule', ({ schema, want }) => {
    expect(schemaOf(schema)).toMatchObject(want);
  });

  test('with defaults, but for members of list items that do not identify them', () => {
    const item = z.strictObject({
      k: z.string().max(1).default('x'),
      a: z.string().max(1).default('x'),
      b: z.strictObject({ c: z.string().max(1).default('x') }).optional(),
    });
    const list = mapList(item, ['k'], { description: 'a is.', max: 2 });
    const defaultsIn = (schema: object): number => JSON.stringify(schema).split('"default"').length - 1;
    expect(schemaOf(list).items).toMatchObject({ properties: { k: { default: 'x' } } });
    expect(defaultsIn(schemaOf(list))).toBe(1);
    expect(JSON.stringify(schemaOf(list))).not.toContain('"required"');
    expect(defaultsIn(toStructural(list, 'spec', { defaultsInLists: true }).schema)).toBe(3);
    expect(defaultsIn(schemaOf(item))).toBe(3);
  });

  test('never with keywords that a CRD refuses', () => {
    expect(JSON.stringify(schemaOf(tree))).not.toMatch(/\$ref|additionalProperties":false|nullable|const|anyOf/);
  });

  test('an optional immutable member is also watched from outside', () => {
    const frozen = text('a is.', 9).meta({ immutable: 'a cannot change' });
    expect(schemaOf(z.strictObject({ a: frozen.optional() }))).toMatchObject({
      properties: { a: { 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } },
      'x-kubernetes-validations': [{ rule: 'has(self.a) == has(oldSelf.a)', fieldPath: '.a' }],
    });
    expect(schemaOf(z.strictObject({ a: frozen }))).not.toHaveProperty('x-kubernetes-validations');
  });

  test('a recursion is written out twice and opaque below', () => {
    const first = schemaOf(tree).properties?.['below'];
    const second = first?.items?.properties?.['below'];
    const third = second?.items?.properties?.['below'];
    expect([first?.maxItems, second?.maxItems, third?.maxItems]).toEqual([50, 5, 5]);
    expect(second?.items?.properties).toHaveProperty('leaf');
    expect(third?.items).toEqual({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
  });

  test('rules come with every place they hold at, but not where they would look into opaque nodes', () => {
    const { rules } = toStructural(tree, 'spec');
    expect(rules.map(({ path }) => path)).toEqual(['spec', 'spec.below[]']);
  });
});

describe('a schema is refused, with its path,', () => {
  const at = (schema: z.ZodType) => z.strictObject({ a: z.strictObject({ b: schema }) });
  test.for([
    { rule: 'for null', schema: z.string().nullable() },
    { rule: 'for a constant', schema: z.literal('x') },
    { rule: 'for a plain union', schema: z.union([z.string(), z.boolean()]) },
    { rule: 'for a tagged union', schema: z.discriminatedUnion('t', [z.strictObject({ t: z.literal('x') })]) },
    { rule: 'for a transformation', schema: z.string().transform(Number) },
    { rule: 'for a change of text', schema: z.string().trim() },
    { rule: 'for a prefilled input', schema: z.string().prefault('x') },
    { rule: 'for anything at all', schema: z.unknown() },
    { rule: 'for a tuple', schema: z.tuple([z.string()]) },
    { rule: 'for an open object', schema: z.looseObject({}) },
    { rule: 'for a map to objects', schema: z.record(z.string(), z.strictObject({})) },
    { rule: 'for a list without a type', schema: z.array(z.string()) },
    { rule: 'for a set of objects', schema: z.array(z.strictObject({})).meta({ listType: 'set' }) },
    { rule: 'for a keyed list without keys', schema: z.array(z.strictObject({})).meta({ listType: 'map' }) },
    { rule: 'for an unknown key', schema: mapList(z.strictObject({}), ['k'], { description: 'x', max: 1 }) },
    {
      rule: 'for an optional key',
      schema: mapList(z.strictObject({ k: z.string().optional() }), ['k'], { description: 'x', max: 1 }),
    },
    { rule: 'for a refinement without a rule', schema: z.string().refine(() => true) },
    {
      rule: 'for a second refinement beside a rule',
      schema: withRules(
        z.strictObject({}).refine(() => true),
        [{ ...POSITIVE, holds: () => true }],
      ),
    },
    { rule: 'for look-ahead', schema: z.string().regex(/^(?!x)/) },
    { rule: 'for a back-reference', schema: z.string().regex(/(a)\1/) },
    { rule: 'for two patterns', schema: z.string().regex(/a/).regex(/b/) },
    { rule: 'for a default that is an object', schema: z.strictObject({}).default({}) },
    { rule: 'for a default its schema refuses', schema: z.string().max(1).default('too long') },
  ])('$rule', ({ schema }) => {
    expect(() => toStructural(at(schema), 'spec')).toThrow(/^spec\.a\.b/);
  });
});
