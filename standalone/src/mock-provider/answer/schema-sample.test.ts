import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sampleSchema } from './schema-sample.ts';

const sample = (schema: unknown): unknown => sampleSchema(schema, 'the question');

interface Tree {
  value: number;
  children: Tree[];
}
const tree: z.ZodType<Tree> = z.object({ value: z.number(), children: z.lazy(() => z.array(tree)) });

describe('a sample fits the schema', () => {
  test.for([
    { rule: 'of an object', schema: z.strictObject({ a: z.string(), b: z.number().optional(), c: z.boolean() }) },
    {
      rule: 'of bounded numbers',
      schema: z.object({ a: z.int().min(7).max(9), b: z.number().gt(0).lt(1), c: z.int().max(-5) }),
    },
    {
      rule: 'of exclusive bounds',
      schema: z.object({ a: z.int().gt(3), b: z.number().lt(0), c: z.int().multipleOf(5).min(11) }),
    },
    {
      rule: 'of bounded texts',
      schema: z.object({ a: z.string().min(40), b: z.string().max(3), query: z.string().max(5) }),
    },
    {
      rule: 'of formats',
      schema: z.object({ a: z.email(), b: z.iso.datetime(), c: z.uuid(), d: z.url(), e: z.ipv4() }),
    },
    {
      rule: 'of lists',
      schema: z.object({
        a: z.array(z.string()).min(3),
        b: z.array(z.int()).max(0),
        c: z.tuple([z.int(), z.string()]),
      }),
    },
    { rule: 'of words and constants', schema: z.object({ a: z.enum(['x', 'y']), b: z.literal(4), c: z.null() }) },
    {
      rule: 'of unions',
      schema: z.object({
        a: z.union([z.null(), z.int()]),
        b: z.discriminatedUnion('t', [z.object({ t: z.literal('u'), n: z.int() })]),
      }),
    },
    { rule: 'of an intersection', schema: z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })) },
    { rule: 'of a map', schema: z.record(z.string(), z.int()) },
    { rule: 'of a tree', schema: tree },
    { rule: 'of shared definitions', schema: z.object({ a: z.object({ n: z.int() }).meta({ id: 'Shared' }) }) },
    {
      rule: 'of deep objects',
      schema: z.object({ a: z.object({ b: z.object({ c: z.object({ d: z.object({ e: z.int() }) }) }) }) }),
    },
  ])('$rule', ({ schema }) => {
    const value = sample(z.toJSONSchema(schema));
    expect(schema.safeParse(value)).toMatchObject({ success: true });
    expect(sample(z.toJSONSchema(schema))).toEqual(value);
  });
});

test.for([
  { rule: 'a default is taken', schema: { type: 'string', default: 'd' }, want: 'd' },
  { rule: 'an example is taken', schema: { type: 'string', examples: ['e'] }, want: 'e' },
  {
    rule: 'the type may be in capitals',
    schema: { type: 'OBJECT', properties: { n: { type: 'INTEGER' } } },
    want: { n: 1 },
  },
  { rule: 'a nullable type is not null', schema: { type: ['null', 'boolean'] }, want: true },
  {
    rule: 'texts to repeat repeat the question',
    schema: { properties: { query: { type: 'string' } } },
    want: { query: 'the question' },
  },
  {
    rule: 'known names have plausible values',
    schema: { properties: { location: { type: 'string' } } },
    want: { location: 'Paris' },
  },
  {
    rule: 'members beside anyOf hold too',
    schema: { type: 'object', properties: { a: { type: 'integer' } }, anyOf: [{ required: ['a'] }] },
    want: { a: 1 },
  },
  {
    rule: 'references between definitions are followed',
    schema: { $ref: '#/definitions/a~1b', definitions: { 'a/b': { const: 3 } } },
    want: 3,
  },
  { rule: 'an unknown type is a text', schema: undefined, want: 'mock text' },
  {
    rule: 'a name of the object prototype is a plain name',
    schema: JSON.parse('{"properties":{"__proto__":{"type":"integer"}}}'),
    want: JSON.parse('{"__proto__":1}'),
  },
])('$rule', ({ schema, want }) => {
  expect(sample(schema)).toEqual(want);
});

describe('a hostile schema', () => {
  const twice = (next: string) => ({
    type: 'object',
    required: ['l', 'r'],
    properties: { l: { $ref: next }, r: { $ref: next } },
  });

  test.for([
    { rule: 'that refers to itself', schema: { $ref: '#' } },
    { rule: 'that refers to another document', schema: { $ref: 'https://example.com/schema.json' } },
    { rule: 'that requires itself', schema: twice('#') },
    {
      rule: 'that requires many items',
      schema: { type: 'array', minItems: 1e9, items: { type: 'array', minItems: 1e9 } },
    },
    { rule: 'that requires long texts', schema: { type: 'string', minLength: 1e9 } },
    { rule: 'that counts in nothing', schema: { type: 'number', multipleOf: 0, minimum: 2, maximum: 1 } },
    {
      rule: 'that is nonsense',
      schema: { type: 7, properties: [], required: 'x', anyOf: [], enum: 'a', allOf: [1, null] },
    },
  ])('$rule has a small sample', ({ schema }) => {
    expect(JSON.stringify(sample(schema)).length).toBeLessThan(60_000);
  });
});

test('anything at all has a sample that is JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (schema, text) => {
      const value = sampleSchema(schema, text);
      expect(JSON.parse(JSON.stringify(value))).toEqual(value);
    }),
  );
});
