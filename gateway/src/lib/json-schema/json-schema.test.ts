/** By keyword: values for which a schema holds, and for which it does not. */
import { describe, expect, test } from 'vitest';
import { REQUEST_UNITS } from '../regex.ts';
import { compileSchema, type SchemaError } from './index.ts';

const work = () => ({ left: REQUEST_UNITS, nextSlice: async () => {} });

const verdictOf = async (schema: object, value: unknown, errors?: SchemaError[]) =>
  compileSchema({ ...schema })?.test(value, work(), errors);

/** Text of JSON: names such as `__proto__` are members. */
const json = (text: string): unknown => JSON.parse(text);
const schemaOf = (text: string): object => Object(json(text));

const TREE = {
  $id: 'https://example.com/tree',
  $dynamicAnchor: 'node',
  properties: { children: { items: { $dynamicRef: '#node' } } },
};

describe.for<[name: string, schema: object, good: unknown[], bad: unknown[]]>([
  ['nothing', {}, [1, null, {}], []],
  ['type', { type: 'integer' }, [1, 1.0, -0, 1e300], [1.5, '1', null, [], {}]],
  ['several types', { type: ['null', 'array'] }, [null, []], [{}, 0, '']],
  ['object', { type: 'object' }, [{}], [[], null]],
  [
    'const',
    { const: { a: [1, 0], b: 'x' } },
    [{ b: 'x', a: [1, -0] }],
    [{ a: [1, 0] }, { a: [0, 1], b: 'x' }, 'x', null],
  ],
  ['const of null', { const: null }, [null], [0, {}, '']],
  ['enum', { enum: [1, 'a', false, [0]] }, [1, 'a', false, [0]], ['1', 0, true, [false], [[0]]]],
  ['an empty enum', { enum: [] }, [], [null, 1]],
  ['maximum and minimum', { minimum: -1.5, maximum: 2 }, [-1.5, 0, 2, 'x'], [-1.51, 2.01]],
  ['exclusive bounds', { exclusiveMinimum: 0, exclusiveMaximum: 1 }, [0.5, '0'], [0, 1]],
  ['multipleOf', { multipleOf: 0.0001 }, [0.0075, 1, 0, -0.5, 'x'], [0.00751, 1e-5]],
  ['multipleOf of large numbers', { multipleOf: 3 }, [1e300 * 0, 9, 3e15], [1e15, 10]],
  ['lengths in characters', { minLength: 2, maxLength: 2 }, ['ab', '😀😀', 1], ['a', '😀', 'abc']],
  ['pattern', { pattern: 'a+b$' }, ['xaab', 5], ['ab ', '']],
  ['format', { format: 'date' }, ['2024-02-29', 7], ['2023-02-29', '2024-2-9', '']],
  ['a format that is not known', { format: 'colour' }, ['x'], []],
  ['counts of items', { minItems: 1, maxItems: 2 }, [[1], [1, 2], {}], [[], [1, 2, 3]]],
  [
    'uniqueItems',
    { uniqueItems: true },
    [[1, '1', true, [1], { a: 1 }], 'aa'],
    [
      [1, 1],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [[1], [1]],
      [0, -0],
    ],
  ],
  ['items', { items: { type: 'string' } }, [[], ['a'], 5], [['a', 1]]],
  ['prefixItems', { prefixItems: [{ type: 'string' }], items: false }, [[], ['a']], [[1], ['a', 'b']]],
  [
    'contains',
    { contains: { minimum: 5 }, minContains: 2, maxContains: 3 },
    [
      [5, 1, 6],
      [5, 5, 5],
    ],
    [[5], [], [5, 5, 5, 5]],
  ],
  ['contains that needs none', { contains: false, minContains: 0 }, [[], [1]], []],
  ['counts of members', { minProperties: 1, maxProperties: 1 }, [{ a: 1 }, []], [{}, { a: 1, b: 2 }]],
  ['required', { required: ['a', 'toString'] }, [{ a: 1, toString: 1 }, 'x'], [{ a: 1 }, {}]],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{ b: 1 }, { a: 1, b: 1 }, []], [{ a: 1 }]],
  ['properties', { properties: { a: { type: 'number' }, b: false } }, [{ a: 1, c: 'x' }, []], [{ a: 'x' }, { b: 1 }]],
  [
    'members of all objects',
    schemaOf('{"properties":{"__proto__":{"type":"number"}}}'),
    [{}, json('{"__proto__":1}')],
    [json('{"__proto__":"x"}')],
  ],
  [
    'patternProperties',
    { patternProperties: { '^a': { type: 'number' }, b$: { minimum: 5 } } },
    [{ ab: 5, c: 'x' }],
    [{ a: 'x' }, { ab: 4 }],
  ],
  [
    'additionalProperties',
    { properties: { a: true }, patternProperties: { '^x-': true }, additionalProperties: { type: 'number' } },
    [{ a: 'x', 'x-b': 'x', c: 1 }],
    [{ c: 'x' }],
  ],
  ['propertyNames', { propertyNames: { maxLength: 2 } }, [{ ab: 1 }, {}], [{ abc: 1 }]],
  ['allOf', { allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], [0, 3]],
  ['anyOf', { anyOf: [{ type: 'string' }, { minimum: 1 }] }, ['x', 1], [0]],
  ['oneOf', { oneOf: [{ minimum: 1 }, { maximum: 5 }] }, [0, 6], [3]],
  ['not', { not: { type: 'string' } }, [1], ['x']],
  ['if', schemaOf('{"if":{"minimum":5},"then":{"maximum":9},"else":{"multipleOf":2}}'), [5, 9, 2], [10, 3]],
  ['then alone', schemaOf('{"then":false}'), [1], []],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, [{ a: 1, b: 1 }, {}], [{ a: 1 }]],
  ['a reference with siblings', { $defs: { a: { minimum: 1 } }, $ref: '#/$defs/a', maximum: 2 }, [1], [0, 3]],
  [
    'a schema in itself',
    { properties: { next: { $ref: '#' } }, additionalProperties: false },
    [{ next: { next: {} } }],
    [{ next: { a: 1 } }],
  ],
  ['escapes in references', { $defs: { 'a/b~c%': { type: 'null' } }, $ref: '#/$defs/a~1b~0c%25' }, [null], [1]],
  ['anchors', { $defs: { x: { $anchor: 'a', type: 'null' } }, $ref: '#a' }, [null], [1]],
  [
    'identifiers',
    {
      $id: 'https://example.com/a/',
      $defs: { b: { $id: 'b', $defs: { c: { type: 'null' } }, $ref: '#/$defs/c' } },
      $ref: 'b',
    },
    [null],
    [1],
  ],
  ['a place that is no keyword', { parts: { a: { type: 'null' } }, $ref: '#/parts/a' }, [null], [1]],
  ['definitions of older drafts', { definitions: { a: { type: 'null' } }, $ref: '#/definitions/a' }, [null], [1]],
  [
    'dynamic references',
    {
      $defs: { tree: TREE },
      $ref: 'https://example.com/tree',
      $dynamicAnchor: 'node',
      $id: 'https://example.com/strict',
      unevaluatedProperties: false,
    },
    [{ children: [{ children: [] }] }],
    [{ children: [{ data: 1 }] }, { data: 1 }],
  ],
  [
    'unevaluatedProperties',
    {
      anyOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: true } }],
      unevaluatedProperties: false,
    },
    [{ a: 'x', b: 1 }, { b: 1 }, {}],
    [{ a: 1 }, { c: 1 }],
  ],
  [
    'unevaluatedProperties after a condition',
    schemaOf(
      '{"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"properties":{"b":true}},"unevaluatedProperties":false}',
    ),
    [{ a: 1, b: 2 }],
    [{ a: 2 }, { b: 2 }],
  ],
  [
    'unevaluatedProperties beside a negation',
    { not: { not: { properties: { a: true } } }, unevaluatedProperties: false },
    [{}],
    [{ a: 1 }],
  ],
  [
    'unevaluatedItems',
    { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: { type: 'number' } },
    [[null, 'x', 1]],
    [[null, 'x', null]],
  ],
  ['annotations', { title: 't', default: 1, examples: [], 'x-mine': { type: 1 } }, [1, 'x'], []],
])('%s', ([, schema, good, bad]) => {
  test.for(good.map((value) => ({ value })))('holds for $value', async ({ value }) => {
    expect(await verdictOf(schema, value)).toBe(true);
    expect(await verdictOf(schema, value, [])).toBe(true);
  });

  test.for(bad.map((value) => ({ value })))('does not hold for $value, and says why', async ({ value }) => {
    const errors: SchemaError[] = [];
    expect(await verdictOf(schema, value)).toBe(false);
    expect(await verdictOf(schema, value, errors)).toBe(false);
    expect(errors.length).toBeGreaterThan(0);
  });
});

test.for<[name: string, good: string[], bad: string[]]>([
  [
    'date-time',
    ['2024-12-31T23:59:60Z', '2024-01-01t00:00:00.5+01:00'],
    ['2024-01-01 00:00:00Z', '2024-01-01T24:00:00Z', '2024-01-01T00:00:00'],
  ],
  ['time', ['00:00:00Z', '08:29:60-15:30'], ['12:00:00', '12:60:00Z', '22:59:60Z']],
  ['duration', ['P1Y2M3DT4H5M6S', 'P1W', 'PT0S'], ['P', 'PT', 'P1YT', '1Y', 'P1W1D']],
  [
    'email',
    ['a.b+c@example.com', '"a b"@example.com', 'a@[127.0.0.1]', 'a@[IPv6:::1]'],
    ['a', '.a@example.com', 'a..b@c', 'a@', 'a@[x]', `${'a'.repeat(400)}@b`],
  ],
  ['hostname', ['a', 'a-b.example.com'], ['', '-a', 'a_b', 'a.', `${'a'.repeat(64)}`]],
  ['ipv4', ['127.0.0.1'], ['1.2.3', '256.1.1.1', '01.2.3.4']],
  ['ipv6', ['::1', '1::d6:192.168.0.1'], ['12345::', '::1%eth0', '1.2.3.4']],
  ['uuid', ['2EB8AA08-aa98-11ea-b4aa-73b441d16380'], ['2eb8aa08aa9811eab4aa73b441d16380', '']],
  [
    'uri',
    ['https://example.com/?q=%20#a', 'urn:x:y'],
    ['//example.com', 'a b:c', 'http://a b', 'https://example.com/%zz'],
  ],
  ['uri-reference', ['/a', '', '#a', '//b'], ['\\a', 'a b']],
  ['json-pointer', ['', '/a~0b/~1'], ['a', '/~', '/~2']],
])('the format %s', async ([format, good, bad]) => {
  for (const text of good) expect([text, await verdictOf({ format }, text)]).toEqual([text, true]);
  for (const text of bad) expect([text, await verdictOf({ format }, text)]).toEqual([text, false]);
});

describe('errors', () => {
  test('name the places of all that is wrong', async () => {
    const errors: SchemaError[] = [];
    const schema = {
      required: ['c'],
      properties: { 'a/b': { items: { anyOf: [{ type: 'string' }, { minimum: 2 }] } }, d: false },
    };
    await verdictOf(schema, { 'a/b': [2, 1, null], d: 1 }, errors);
    expect(errors).toEqual([
      { path: '', message: 'must have the member c' },
      { path: '/a~1b/1', message: 'must match at least one schema of anyOf' },
      { path: '/d', message: 'nothing is allowed here' },
    ]);
  });

  test('are at most twenty', async () => {
    const errors: SchemaError[] = [];
    await verdictOf({ items: false }, Array(100).fill(1), errors);
    expect(errors).toHaveLength(20);
  });
});

describe('work', () => {
  test('of a little value is done at once', () => {
    expect(compileSchema({ items: { type: 'number' } })?.test([1, 2, 3], work())).toBe(true);
  });

  test('of a large one lets others run', async () => {
    let slices = 0;
    const nextSlice = async () => {
      slices += 1;
    };
    const verdict = compileSchema({ items: { type: 'number' } })?.test(Array(50_000).fill(1), {
      left: REQUEST_UNITS,
      nextSlice,
    });
    expect([await verdict, slices > 5]).toEqual([true, true]);
  });

  test.for<[what: string, schema: object]>([
    ['a schema that leads to itself', { $ref: '#' }],
    [
      'a schema that leads to itself by another',
      { $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
    ],
  ])('of %s ends', async ([, schema]) => {
    expect(await verdictOf(schema, 1)).toBe('exhausted');
  });

  test('beyond what is left is not done', async () => {
    const verdict = compileSchema({ items: { type: 'number' } })?.test([1, 2, 3], {
      left: 40,
      nextSlice: async () => {},
    });
    expect(await verdict).toBe('exhausted');
  });
});
