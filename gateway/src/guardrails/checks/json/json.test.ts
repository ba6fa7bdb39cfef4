import { checkEntryOf, parseCheck } from '@gatehouse/crds/guardrails';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REQUEST_UNITS } from '../../../lib/regex.ts';
import { runSteps } from '../../../lib/steps.ts';
import { CHECKS } from '../../register.ts';
import { outcomeOf, runCheck, subjectOf, toolsOf } from '../../testing.ts';
import { findJson } from './candidates.ts';

const FENCE = '```';
const fenced = (json: string, tag = 'json'): string => `Here:\n${FENCE}${tag}\n${json}\n${FENCE}\nDone.`;
const NEEDS_A = { schema: { type: 'object', required: ['a'] } };
const SELF = { $defs: { s: { $ref: '#/$defs/s' } }, $ref: '#/$defs/s' };

const read = async (text: string) => {
  const candidates = await runSteps(findJson(text), async () => {});
  if (candidates === 'exhausted') throw new Error('the text has too many objects and lists');
  return candidates;
};
const found = async (text: string): Promise<unknown[]> => {
  const candidates = await read(text);
  return candidates.found.map(({ value }) => value);
};

describe.for<[id: string, rows: [parameters: object, text: string, want: string][]]>([
  [
    'jsonSchema',
    [
      [NEEDS_A, fenced('{"a":{"b":1}}'), 'T'],
      [NEEDS_A, fenced('{"c":1}'), 'F'],
      [NEEDS_A, 'no json', 'F'],
      [NEEDS_A, '{"a":{"b":1}}', 'T'],
      [NEEDS_A, ' \n{"a":1} \n', 'T'],
      [NEEDS_A, 'The answer is {"a":1}.', 'T'],
      [NEEDS_A, fenced('{"a":1}', ''), 'T'],
      [NEEDS_A, fenced('{"a":1', 'json'), 'F'],
      [NEEDS_A, `${fenced('{"c":1}')} ${fenced('{"a":1}')}`, 'T'],
      [NEEDS_A, '', 'F'],
      [{ ...NEEDS_A, not: true }, '{"a":1}', 'F'],
      [{ ...NEEDS_A, not: true }, '{"c":1}', 'T'],
      [{ ...NEEDS_A, not: true }, 'no json', 'F'],
      [{ ...NEEDS_A, not: true }, '{"c":}', 'F'],
      [{ schema: { type: 'integer' } }, '42', 'T'],
      [{ schema: { type: 'integer' } }, fenced('42'), 'T'],
      [{ schema: { type: 'integer' } }, 'It is 42.', 'F'],
      [{ schema: SELF }, '{}', 'F e'],
      [{ schema: SELF, not: true }, '{}', 'F e'],
    ],
  ],
  [
    'jsonKeys',
    [
      [{ keys: ['a', 'b'], operator: 'all' }, '{"a":1}', 'F'],
      [{ keys: ['a', 'b'], operator: 'any' }, '{"a":1}', 'T'],
      [{ keys: ['z'], operator: 'none' }, '{"a":1}', 'T'],
      [{ keys: ['a', 'b'] }, '{"b":1}', 'T'],
      [{ keys: ['a', 'b'], operator: 'all' }, fenced('{"a":1,"b":2}'), 'T'],
      [{ keys: ['a', 'a'], operator: 'all' }, '{"a":1}', 'T'],
      [{ keys: ['b'] }, '{"a":{"b":1}}', 'F'],
      [{ keys: ['b'], operator: 'none' }, '{"b":1} {"c":1}', 'T'],
      [{ keys: ['a'], operator: 'none' }, '[1]', 'F'],
      [{ keys: ['a'], operator: 'none' }, 'no json', 'F'],
      [{ keys: ['toString'] }, '{}', 'F'],
      [{ keys: ['__proto__'] }, '{"__proto__":1}', 'T'],
      [{ keys: ['a'] }, '', 'F e'],
    ],
  ],
])('%s', ([id, rows]) => {
  test.for(rows)('%j on %j is %s', async ([parameters, text, want]) => {
    expect(outcomeOf(await runCheck(id, parameters, subjectOf([text])))).toBe(want);
  });
});

describe('the JSON of a text', () => {
  test.for<[what: string, text: string, want: unknown[]]>([
    ['is the whole text where that is JSON', '[{"a":1}]', [[{ a: 1 }]]],
    ['is a scalar only where it is the whole', '"a"', ['a']],
    ['comes from blocks before the rest', `{"b":1} ${FENCE}{"a":1}${FENCE} {"c":1}`, [{ a: 1 }, { b: 1 }, { c: 1 }]],
    [
      'comes from blocks of other languages after those of JSON',
      `${fenced('{"b":1}', 'js')} ${fenced('1')}`,
      [1, { b: 1 }],
    ],
    ['has braces and brackets in strings', 'x {"a":"}]{[\\""} y', [{ a: '}]{["' }]],
    ['is whole with what is nested', 'x {"a":[{"b":{}}]} y', [{ a: [{ b: {} }] }]],
    ['stands in what only looks like JSON', '{note: {"a":1}, [1,2]}', [{ a: 1 }, [1, 2]]],
    ['stands in what is cut off', '{"items":[{"a":1},{"b":', [{ a: 1 }]],
    ['keeps the order of the text', '{"p":{"a":1},"q":[x {"b":1}] {"c":1}}', [{ a: 1 }, { b: 1 }, { c: 1 }]],
    ['is found after a quotation mark', '{5" wide} {"a":1}', [{ a: 1 }]],
    ['is found after a string that does not end', '{"a":"b\n{"c":1}', [{ c: 1 }]],
    ['has the escapes and numbers of JSON', 'x [-0.5e+2,"\\u0041\\n"]', [[-50, 'A\n']]],
    ['has no other escapes and numbers', '["\\x"] [01] [+1] [.5] [1.] [NaN] ["\t"] [\'a\']', []],
    ['has no comma too much', '[1,] {"a":1,} [,] {,} [1 2]', []],
    ['has the last of two members of one name', '{"a":1,"a":2} .', [{ a: 2 }]],
    ['is not looked for below 100 levels', `${'['.repeat(101)}{"a":1}${']'.repeat(101)} {"b":1}`, [{ b: 1 }]],
    [
      'may have 100 levels',
      `${'['.repeat(99)}{"a":1}${']'.repeat(99)}`,
      [JSON.parse(`${'['.repeat(99)}{"a":1}${']'.repeat(99)}`)],
    ],
    ['is not in brackets that do not fit', '{"a":1] [2}', []],
  ])('%s', async ([, text, want]) => {
    expect(await found(text)).toEqual(want);
  });

  test('is what JSON.parse makes of it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 5 }), async (json) => {
        expect(await found(json)).toEqual([JSON.parse(json)]);
      }),
    );
  });

  test('is never made of what JSON.parse refuses', async () => {
    const sign = fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\\', 'a', '1', ' ', '"a":', '\n', '`', FENCE);
    await fc.assert(
      fc.asyncProperty(fc.array(sign, { maxLength: 60 }), async (signs) => {
        const text = signs.join('');
        const { found } = await read(text);
        for (const { value, start, end } of found) expect(JSON.parse(text.slice(start, end))).toEqual(value);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('what results show', () => {
  test('of a text that is not valid are the errors of the first JSON', async () => {
    const { data } = await runCheck(
      'jsonSchema',
      { schema: { properties: { a: { items: { type: 'string' } } } } },
      subjectOf(['{"a":["x",1]}']),
    );
    expect(data).toEqual({
      matchedJson: { a: ['x', 1] },
      not: false,
      explanation: 'JSON of the text is not valid by the schema.',
      validationErrors: [{ path: '/a/1', message: 'must be of type string' }],
    });
  });

  test('is nothing of JSON that is broken', async () => {
    expect(await runCheck('jsonSchema', NEEDS_A, subjectOf(['{"a":}']))).toEqual({ verdict: false, data: null });
  });

  test('says which keys are there', async () => {
    const { data } = await runCheck('jsonKeys', { keys: ['a', 'b'] }, subjectOf(['{"a":1,"c":2}']));
    expect(data).toMatchObject({
      matchedJson: { a: 1, c: 2 },
      presentKeys: ['a'],
      missingKeys: ['b'],
      operator: 'any',
    });
  });

  test('leaves out JSON that would make the answer much larger', async () => {
    const { verdict, data } = await runCheck('jsonKeys', { keys: ['a'] }, subjectOf([`{"a":"${'x'.repeat(70_000)}"}`]));
    expect([verdict, Object(data).matchedJson]).toEqual([true, null]);
  });
});

describe('parameters', () => {
  const parse = (id: string, parameters: object) =>
    parseCheck({ id, parameters }, { path: ['checks', 0], literalCredentials: false });

  test.for<[id: string, parameters: object, path: string, message: string]>([
    [
      'jsonSchema',
      { schema: { properties: { a: { type: 'txt' } } } },
      'schema.properties.a.type',
      'expected one or several of',
    ],
    ['jsonSchema', { schema: { pattern: '(?=a)' } }, 'schema.pattern', 'not a valid RE2 pattern'],
    [
      'jsonSchema',
      { schema: { patternProperties: { '(a': true } } },
      'schema.patternProperties.(a',
      'not a valid RE2 pattern',
    ],
    ['jsonSchema', { schema: { $ref: 'https://example.com/a' } }, 'schema.$ref', 'schemas are not fetched'],
    ['jsonSchema', {}, 'schema', 'expected an object'],
    ['jsonKeys', { keys: [] }, 'keys', 'expected at least 1 item'],
    ['jsonKeys', { keys: ['a'], operator: 'some' }, 'operator', 'expected one of any, all, none'],
  ])('%s refuses %j at %s', ([id, parameters, path, message]) => {
    const parsed = parse(id, parameters);
    const issues = parsed.ok ? [] : parsed.error;
    expect(issues.map((issue) => `${issue.path.slice(3).join('.')}: ${issue.message}`)).toEqual([
      expect.stringMatching(new RegExp(`^${path.replace(/[$(.]/g, '\\$&')}: .*${message}`)),
    ]);
  });

  test('count the patterns of a schema', () => {
    const properties = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`p${i}`, { pattern: '[ab]{400}' }]));
    expect(parse('jsonSchema', { schema: { properties } })).toMatchObject({ ok: false });
  });
});

test('work that patterns have used up is an error', async () => {
  const tools = toolsOf({ regex: { left: 3, nextSlice: async () => {} } });
  const answer = await runCheck('jsonSchema', { schema: { items: { minimum: 0 } } }, subjectOf(['[1,2,3]']), { tools });
  expect(answer).toEqual({ verdict: false, error: { name: 'SchemaTooCostly', message: expect.any(String) } });
});

test.for([
  { id: 'jsonKeys', parameters: { keys: ['a'] } },
  { id: 'jsonSchema', parameters: NEEDS_A },
])('$id reads 100,000 objects and lists, and no more', async ({ id, parameters }) => {
  const objects = (count: number): string => '{}'.repeat(count);
  const few = await runCheck(`default.${id}`, parameters, subjectOf([`${objects(99_999)}{"a":1}`]));
  expect(few).toMatchObject({ verdict: true });
  const many = await runCheck(`default.${id}`, parameters, subjectOf([`${objects(100_000)}{"a":1}`]));
  expect(many).toEqual({ verdict: false, error: { name: 'JsonTooCostly', message: expect.any(String) } });
});

test('a schema that is none is an error', async () => {
  const check = CHECKS.get(checkEntryOf('jsonSchema')?.id ?? '');
  const answer = await check?.compile({ schema: { type: 1 }, not: false }, new Map())(subjectOf(['{}']), toolsOf());
  expect(answer).toMatchObject({ verdict: false, error: { name: 'InvalidSchema' } });
});

test('one check leaves work for others', async () => {
  const tools = toolsOf();
  await runCheck(
    'jsonSchema',
    { schema: { items: { type: 'number' } } },
    subjectOf([JSON.stringify(Array(1_000).fill(1))]),
    { tools },
  );
  expect(tools.regex.left).toBeGreaterThan(REQUEST_UNITS - 20_000);
});
