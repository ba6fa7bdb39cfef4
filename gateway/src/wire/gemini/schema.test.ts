import { deepFreeze } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toGeminiSchema } from './schema.ts';

const STRING = { type: 'string' };
const NULL = { type: 'null' };

describe('a schema for Gemini', () => {
  test.for([
    {
      rule: 'loses keywords Gemini refuses',
      schema: {
        type: 'object',
        additionalProperties: false,
        $schema: 'x',
        $defs: {},
        properties: { n: { type: 'number', exclusiveMinimum: 0, minimum: 1 } },
        required: ['n'],
      },
      want: { type: 'object', properties: { n: { type: 'number', minimum: 1 } }, required: ['n'] },
    },
    {
      rule: 'reads keys below properties as names',
      schema: { type: 'object', properties: { const: STRING, $ref: STRING, additionalProperties: STRING } },
      want: { type: 'object', properties: { const: STRING, $ref: STRING, additionalProperties: STRING } },
    },
    {
      rule: 'resolves references, whose siblings win',
      schema: { $ref: '#/$defs/A', description: 'mine', $defs: { A: { type: 'string', description: 'theirs' } } },
      want: { type: 'string', description: 'mine' },
    },
    {
      rule: 'resolves references below definitions, and names with escapes',
      schema: { items: { $ref: '#/definitions/a~1b%20c' }, definitions: { 'a/b c': STRING } },
      want: { items: STRING },
    },
    {
      rule: 'follows a reference to a reference',
      schema: { items: { $ref: '#/$defs/A' }, $defs: { A: { $ref: '#/$defs/B' }, B: STRING } },
      want: { items: STRING },
    },
    {
      rule: 'cuts a recursive reference to an object',
      schema: {
        $ref: '#/$defs/Tree',
        $defs: { Tree: { type: 'object', properties: { left: { $ref: '#/$defs/Tree' } } } },
      },
      want: { type: 'object', properties: { left: { type: 'object' } } },
    },
    {
      rule: 'cuts a recursive reference inside a nullable union',
      schema: { properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { anyOf: [{ $ref: '#/$defs/A' }, NULL] } } },
      want: { properties: { a: { type: 'object', nullable: true } } },
    },
    { rule: 'cuts a reference to the root', schema: { items: { $ref: '#' } }, want: { items: { type: 'object' } } },
    { rule: 'forgets a reference that leads nowhere', schema: { items: { $ref: '#/$defs/X' } }, want: { items: {} } },
    {
      rule: 'merges a union of one and null into its parent',
      schema: { description: 'd', anyOf: [{ type: 'string', description: 'x' }, NULL] },
      want: { type: 'string', description: 'd', nullable: true },
    },
    {
      rule: 'converts oneOf to anyOf and null to nullable',
      schema: { oneOf: [STRING, { type: 'number', multipleOf: 2 }, NULL] },
      want: { anyOf: [STRING, { type: 'number' }], nullable: true },
    },
    { rule: 'keeps a union of null alone as nullable', schema: { anyOf: [NULL] }, want: { nullable: true } },
    { rule: 'merges an allOf of one', schema: { allOf: [STRING], title: 't' }, want: { type: 'string', title: 't' } },
    { rule: 'drops a real allOf', schema: { type: 'object', allOf: [{}, {}] }, want: { type: 'object' } },
    {
      rule: 'takes null out of a type list',
      schema: { type: ['string', 'null'] },
      want: { type: 'string', nullable: true },
    },
    {
      rule: 'converts a type list to a union',
      schema: { type: ['string', 'number', 'null'] },
      want: { anyOf: [STRING, { type: 'number' }], nullable: true },
    },
    {
      rule: 'converts const to an enum of one',
      schema: { type: 'string', const: 'a' },
      want: { type: 'string', enum: ['a'] },
    },
    { rule: 'converts a null const to nullable', schema: { const: null }, want: { nullable: true } },
    {
      rule: 'takes null out of an enum',
      schema: { type: ['string', 'null'], enum: ['a', null] },
      want: { type: 'string', nullable: true, enum: ['a'] },
    },
    {
      rule: 'keeps values as they are',
      schema: { default: { $ref: 'x' }, example: [1] },
      want: { default: { $ref: 'x' }, example: [1] },
    },
    { rule: 'leaves out tuples', schema: { type: 'array', items: [STRING] }, want: { type: 'array' } },
    {
      rule: 'reads a boolean schema as anything',
      schema: { properties: { a: true } },
      want: { properties: { a: {} } },
    },
  ])('$rule', ({ schema, want }) => {
    expect(toGeminiSchema(deepFreeze(schema))).toEqual(want);
  });

  test('cleans nested schemas with references, nulls and unions', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: ['string', 'null'] },
        b: { $ref: '#/$defs/B' },
        c: { anyOf: [STRING, NULL] },
      },
      additionalProperties: false,
      $defs: { B: { type: 'integer', exclusiveMinimum: 0 } },
    };
    expect(toGeminiSchema(deepFreeze(schema))).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', nullable: true },
        b: { type: 'integer' },
        c: { type: 'string', nullable: true },
      },
    });
  });

  test('does not unfold without end', () => {
    const level = (n: number): object => ({ properties: { x: { $ref: `#/$defs/${n}` }, y: { $ref: `#/$defs/${n}` } } });
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [n, level(n + 1)]));
    const text = JSON.stringify(toGeminiSchema({ ...level(0), $defs }));
    expect(text.length).toBeLessThan(1_000_000);
  });

  test('survives a nesting deeper than any real one', () => {
    let schema: Readonly<Record<string, unknown>> = STRING;
    for (let depth = 0; depth < 5000; depth += 1) schema = { items: schema };
    expect(() => toGeminiSchema(schema)).not.toThrow();
  });

  test('never throws and never keeps a reference', () => {
    const node = fc.dictionary(
      fc.constantFrom('type', 'anyOf', 'oneOf', 'allOf', 'items', 'properties', '$ref', '$defs', 'const', 'enum'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(node, (schema) => {
        expect(Object.keys(toGeminiSchema(deepFreeze(schema)))).not.toContain('$ref');
      }),
    );
  });
});
