import { expect, test } from 'vitest';
import { indexSchema } from './index.ts';

const nested = (levels: number): object => (levels === 0 ? {} : { not: nested(levels - 1) });

test.for<[what: string, schema: object]>([
  ['nothing', {}],
  [
    'every keyword in its form',
    { type: ['string', 'null'], enum: [], required: [], minLength: 0, uniqueItems: false, multipleOf: 0.1 },
  ],
  ['annotations of any form', { title: 1, format: 'x', examples: 'y', 'x-mine': [] }],
  ['a schema in itself', { properties: { a: { $ref: '#' } } }],
  [
    'identifiers of any scheme',
    { $id: 'urn:example:a', $defs: { a: { $id: 'urn:example:b' } }, $ref: 'urn:example:b' },
  ],
  ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#', definitions: {} }],
  ['many levels', nested(60)],
])('a schema may have %s', ([, schema]) => {
  expect(indexSchema({ ...schema })).toMatchObject({ ok: true });
});

test.for<[path: string, schema: object, message: string]>([
  ['type', { type: 'txt' }, 'one or several of null'],
  ['type', { type: [] }, 'one or several of null'],
  ['type', { type: ['null', 'null'] }, 'one or several of null'],
  ['enum', { enum: 'a' }, 'expected a list'],
  ['multipleOf', { multipleOf: 0 }, 'a number above 0'],
  ['maximum', { maximum: '1' }, 'expected a number'],
  ['exclusiveMinimum', { exclusiveMinimum: true }, 'expected a number'],
  ['minLength', { minLength: -1 }, 'not negative'],
  ['maxItems', { maxItems: 1.5 }, 'not negative'],
  ['uniqueItems', { uniqueItems: 'yes' }, 'true or false'],
  ['required', { required: ['a', 'a'] }, 'different names'],
  ['dependentRequired', { dependentRequired: { a: 'b' } }, 'lists of names'],
  ['properties.a', { properties: { a: 'string' } }, 'expected a schema'],
  ['properties', { properties: [] }, 'an object of schemas'],
  ['allOf', { allOf: [] }, 'not empty'],
  ['anyOf.1', { anyOf: [true, null] }, 'expected a schema'],
  ['items', { items: [{}] }, 'prefixItems'],
  ['dependencies', { dependencies: {} }, 'dependentRequired or dependentSchemas'],
  ['pattern', { pattern: '(?<=a)' }, 'not a valid RE2 pattern'],
  ['pattern', { pattern: '((a{10}){10}){100}' }, 'at most 1000 are allowed'],
  ['patternProperties.(', { patternProperties: { '(': true } }, 'not a valid RE2 pattern'],
  ['$ref', { $ref: 'https://example.com/schema' }, 'not fetched'],
  ['$ref', { $ref: 'https://json-schema.org/draft/2020-12/schema' }, 'not fetched'],
  ['$ref', { $ref: 'file:///etc/passwd' }, 'not fetched'],
  ['$ref', { $ref: '#/$defs/a' }, 'no schema at this place'],
  ['$ref', { $ref: '#/constructor' }, 'no schema at this place'],
  ['$ref', { $ref: '#a' }, 'no schema at this place'],
  ['$ref', { $ref: '#/%' }, 'not fetched'],
  ['$dynamicRef', { $dynamicRef: '#a' }, 'no schema at this place'],
  ['$id', { $id: 'https://example.com/#a' }, 'without a fragment'],
  ['$defs.b.$id', { $defs: { a: { $id: 'x' }, b: { $id: 'x' } } }, 'another schema has this identifier'],
  ['$defs.b.$anchor', { $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x' } } }, 'another schema has this name'],
  ['$anchor', { $anchor: '#x' }, 'expected a name'],
])('at %s it refuses %j', ([path, schema, message]) => {
  const index = indexSchema({ ...schema });
  const problems = index.ok ? [] : index.error;
  expect(problems.map((problem) => [problem.path.join('.'), problem.message])).toEqual([
    [path, expect.stringContaining(message)],
  ]);
});

test('levels and schemas have a bound', () => {
  const anyOf = Array.from({ length: 6_000 }, () => ({}));
  expect(indexSchema({ ...nested(65) })).toMatchObject({ error: [{ message: 'at most 64 levels of schemas' }] });
  expect(indexSchema({ anyOf })).toMatchObject({ error: [{ message: 'at most 5000 schemas' }] });
});

test('the first problems are told', () => {
  const anyOf = Array.from({ length: 100 }, () => ({ type: 1 }));
  const index = indexSchema({ anyOf });
  expect(index.ok ? [] : index.error).toHaveLength(20);
});

test('patterns are listed, those of names as well', () => {
  const index = indexSchema({
    pattern: 'a',
    patternProperties: { b: { items: { pattern: 'c' } } },
    const: { pattern: 'd' },
  });
  expect(index.ok && index.value.patterns).toEqual(['a', 'b', 'c']);
});
