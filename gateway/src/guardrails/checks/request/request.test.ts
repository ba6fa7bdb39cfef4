import { checkEntryOf } from '@gatehouse/crds/guardrails';
import { describe, expect, test } from 'vitest';
import type { CheckSubject } from '../../contract.ts';
import { outcomeOf, runCheck, subjectOf, toolsOf } from '../../testing.ts';

/** A request without a text that a check would look at. */
const requestOf = (over: Partial<CheckSubject> = {}): CheckSubject => subjectOf([], over);

type Row = [rule: string, parameters: object, subject: Partial<CheckSubject>, want: string];

const model = (name: unknown): Partial<CheckSubject> => ({ request: { model: name } });
const withMetadata = (metadata: Record<string, unknown>, over: Partial<CheckSubject> = {}) => ({ metadata, ...over });

const TIERS = {
  rules: { defaults: ['m1'], metadata: { tier: { pro: ['m2'], max: ['m3', 'm2'] }, team: { x: ['m4'] } } },
};

describe.for<[id: string, rows: Row[]]>([
  [
    'modelWhitelist',
    [
      ['a listed model', { models: ['m1'] }, model('m1'), 'T'],
      ['another case', { models: ['m1'] }, model('M1'), 'F'],
      ['a longer name', { models: ['m1'] }, model('m11'), 'F'],
      ['a listed model, turned', { models: ['m1'], not: true }, model('m1'), 'F'],
      ['another model, turned', { models: ['m1'], not: true }, model('m2'), 'T'],
      ['an empty list', { models: [] }, model('m1'), 'F'],
      ['no model', { models: ['m1'] }, { request: {} }, 'F e'],
      ['no model, turned', { models: ['m1'], not: true }, { request: {} }, 'F e'],
      ['a model that is no text', { models: ['m1'] }, model(['m1']), 'F e'],
      ['an answer', { models: ['m1'] }, { ...model('m1'), phase: 'output', response: {} }, 'T'],
    ],
  ],
  [
    'modelRules',
    [
      ['a default for a value with a rule', TIERS, withMetadata({ tier: 'pro' }, model('m1')), 'F'],
      ['a model of the value', TIERS, withMetadata({ tier: 'pro' }, model('m2')), 'T'],
      ['a default without metadata', TIERS, model('m1'), 'T'],
      ['a default for an unknown value', TIERS, withMetadata({ tier: 'free' }, model('m1')), 'T'],
      ['a model of one of several values', TIERS, withMetadata({ tier: ['pro', 'max'] }, model('m3')), 'T'],
      ['a model of one of several keys', TIERS, withMetadata({ tier: 'pro', team: 'x' }, model('m4')), 'T'],
      ['a model of the value, turned', { ...TIERS, not: true }, withMetadata({ tier: 'pro' }, model('m2')), 'F'],
      [
        'a number as the value',
        { rules: { metadata: { level: { 3: ['m1'] } } } },
        withMetadata({ level: 3 }, model('m1')),
        'T',
      ],
      ['any model for *', { rules: { defaults: ['*'] } }, model('m9'), 'T'],
      ['any model for *, turned', { rules: { defaults: ['*'] }, not: true }, model('m9'), 'F'],
      ['nothing that applies', { rules: { metadata: { tier: { pro: ['m2'] } } } }, model('m2'), 'F'],
      ['nothing that applies, turned', { rules: {}, not: true }, model('m2'), 'F'],
      ['a value of the prototype', { rules: { metadata: { toString: { a: ['m1'] } } } }, model('m1'), 'F'],
      ['no model', TIERS, { request: {} }, 'F e'],
    ],
  ],
  [
    'allowedRequestTypes',
    [
      ['an allowed type', { allowedTypes: ['chatComplete'] }, {}, 'T'],
      ['another type', { allowedTypes: ['chatComplete'] }, { requestType: 'embed' }, 'F'],
      ['a blocked type', { blockedTypes: ['embed'] }, { requestType: 'embed' }, 'F'],
      ['a type that is not blocked', { blockedTypes: ['embed'] }, {}, 'T'],
      ['no list', {}, {}, 'T'],
      ['an empty list', { allowedTypes: [] }, {}, 'T'],
      ['a text with commas', { allowedTypes: 'embed, chatComplete' }, {}, 'T'],
      ['both lists, in neither', { allowedTypes: ['embed'], blockedTypes: ['proxy'] }, {}, 'F'],
      [
        'a type that both lists have',
        { allowedTypes: ['embed'], blockedTypes: ['embed'] },
        { requestType: 'embed' },
        'F e',
      ],
      ['the list of the metadata', {}, withMetadata({ supported_endpoints: ['embed'] }), 'F'],
      ['the text of the metadata', {}, withMetadata({ blocked_endpoints: 'embed,chatComplete' }), 'F'],
      [
        'parameters before the metadata',
        { allowedTypes: ['chatComplete'] },
        withMetadata({ supported_endpoints: 'embed' }),
        'T',
      ],
      [
        'one list of each',
        { allowedTypes: ['chatComplete'] },
        withMetadata({ blocked_endpoints: 'chatComplete' }),
        'F e',
      ],
      ['a stream among blocked streams', { blockedTypes: ['stream-chatComplete'] }, { isStream: true }, 'F'],
      ['no stream among blocked streams', { blockedTypes: ['stream-chatComplete'] }, {}, 'T'],
      ['a stream of an allowed type', { allowedTypes: ['chatComplete'] }, { isStream: true }, 'T'],
      ['calls that are passed on', { blockedTypes: ['proxy'] }, { requestType: 'proxy' }, 'F'],
    ],
  ],
  [
    'requiredMetadataKeys',
    [
      ['one of two', { metadataKeys: ['a', 'b'], operator: 'all' }, withMetadata({ a: 1 }), 'F'],
      ['one of two, any', { metadataKeys: ['a', 'b'], operator: 'any' }, withMetadata({ a: 1 }), 'T'],
      ['one of two, none', { metadataKeys: ['a', 'b'], operator: 'none' }, withMetadata({ a: 1 }), 'F'],
      ['all of them by default', { metadataKeys: ['a', 'b'] }, withMetadata({ a: null, b: '' }), 'T'],
      ['none of them, none', { metadataKeys: ['a', 'b'], operator: 'none' }, withMetadata({ c: 1 }), 'T'],
      ['none of them, any', { metadataKeys: ['a'], operator: 'any' }, {}, 'F'],
      ['a name of the prototype', { metadataKeys: ['toString'] }, {}, 'F'],
      ['an answer', { metadataKeys: ['a'] }, { phase: 'output', response: {} }, 'T e'],
    ],
  ],
  [
    'requiredMetadataKeyPairs',
    [
      ['an equal value', { metadataPairs: { a: 'x' } }, withMetadata({ a: 'x' }), 'T'],
      ['another value', { metadataPairs: { a: 'x' } }, withMetadata({ a: 'xy' }), 'F'],
      ['several values for exact', { metadataPairs: { a: 'x' } }, withMetadata({ a: ['x', 'y'] }), 'F'],
      ['a number', { metadataPairs: { a: '3' } }, withMetadata({ a: 3 }), 'T'],
      ['no such key', { metadataPairs: { a: 'x' } }, {}, 'F'],
      ['a part', { metadataPairs: { a: ['q', 'x'] }, matchType: 'contains' }, withMetadata({ a: ['b', 'axe'] }), 'T'],
      [
        'a part too few',
        { metadataPairs: { a: ['q', 'x'] }, matchType: 'containsAll' },
        withMetadata({ a: 'axe' }),
        'F',
      ],
      [
        'all parts',
        { metadataPairs: { a: ['e', 'x'] }, matchType: 'containsAll' },
        withMetadata({ a: ['ax', 'be'] }),
        'T',
      ],
      ['a pattern', { metadataPairs: { a: '^t[0-9]+$' }, matchType: 'regex' }, withMetadata({ a: 't17' }), 'T'],
      [
        'a pattern that does not match',
        { metadataPairs: { a: '^t$' }, matchType: 'regex' },
        withMetadata({ a: 't17' }),
        'F',
      ],
      ['one of two', { metadataPairs: { a: 'x', b: 'y' } }, withMetadata({ a: 'x' }), 'F'],
      ['one of two, any', { metadataPairs: { a: 'x', b: 'y' }, operator: 'any' }, withMetadata({ a: 'x' }), 'T'],
      ['one of two, none', { metadataPairs: { a: 'x', b: 'y' }, operator: 'none' }, withMetadata({ a: 'x' }), 'F'],
      ['none of two, none', { metadataPairs: { a: 'x', b: 'y' }, operator: 'none' }, withMetadata({ a: 'y' }), 'T'],
      ['a name of the prototype', { metadataPairs: { constructor: '' }, matchType: 'contains' }, {}, 'F'],
      ['an answer', { metadataPairs: { a: 'x' } }, { phase: 'output', response: {} }, 'T e'],
    ],
  ],
])('%s', ([id, rows]) => {
  test.for(rows)('%s', async ([, parameters, over, want]) => {
    expect(outcomeOf(await runCheck(id, parameters, requestOf(over)))).toBe(want);
  });
});

describe('other spellings', () => {
  test.for([
    ['modelwhitelist', 'default.modelWhitelist'],
    ['default.modelwhitelist', 'default.modelWhitelist'],
    ['requiredMetadataKeyValuePairs', 'default.requiredMetadataKeyPairs'],
  ])('%s is %s', ([written = '', id]) => {
    expect(checkEntryOf(written)?.id).toBe(id);
  });
});

test('patterns of pairs are unknown when the work of the request is used up, also where none may match', async () => {
  const parameters = { metadataPairs: { a: 'x' }, matchType: 'regex', operator: 'none' };
  const tools = toolsOf({ regex: { left: 0, nextSlice: async () => {} } });
  const answer = await runCheck('requiredMetadataKeyPairs', parameters, requestOf({ metadata: { a: 'x' } }), { tools });
  expect(answer).toMatchObject({ verdict: false, error: { name: 'PatternTooCostly' } });
});

describe('parameters are refused', () => {
  test.for<[rule: string, id: string, parameters: object, at: string]>([
    ['a list of models is missing', 'modelWhitelist', {}, 'models'],
    ['an unknown type of request', 'allowedRequestTypes', { allowedTypes: ['chatComplete', 'chat'] }, 'allowedTypes.1'],
    ['an unknown type in a text', 'allowedRequestTypes', { blockedTypes: 'embed,chat' }, 'blockedTypes'],
    ['no keys', 'requiredMetadataKeys', { metadataKeys: [] }, 'metadataKeys'],
    ['no pairs', 'requiredMetadataKeyPairs', { metadataPairs: {} }, 'metadataPairs'],
    ['several values for exact', 'requiredMetadataKeyPairs', { metadataPairs: { a: ['x', 'y'] } }, 'metadataPairs.a'],
    ['a bad pattern', 'requiredMetadataKeyPairs', { metadataPairs: { a: '*' }, matchType: 'regex' }, 'metadataPairs.a'],
    [
      'a type of tool that is allowed and blocked',
      'requestParametersCheck',
      { tools: { blockedTypes: ['mcp'], allowedTypes: ['function', 'mcp'] } },
      'tools.allowedTypes.1',
    ],
    [
      'a value that is allowed and blocked',
      'requestParametersCheck',
      { params: { values: { n: { blockedValues: [2], allowedValues: [2] } } } },
      'params.values.n.allowedValues.0',
    ],
  ])('%s', ([, id, parameters, at]) => {
    expect(checkEntryOf(id)?.parameters.safeParse(parameters).error?.issues[0]?.path.join('.')).toBe(at);
  });
});

describe('requestParametersCheck', () => {
  const run = (parameters: object, request: Record<string, unknown>) =>
    runCheck('requestParametersCheck', parameters, requestOf({ request }));
  const chat = (name: string) => ({ type: 'function', function: { name } });

  test.for<[rule: string, parameters: object, request: Record<string, unknown>, found: string[]]>([
    ['nothing is asked for', {}, { tools: [chat('a')], model: 'm' }, []],
    [
      'a blocked value',
      { params: { values: { stream: { blockedValues: [true] } } } },
      { stream: true },
      ['stream value_blocked'],
    ],
    ['a parameter that is absent', { params: { values: { stream: { blockedValues: [true] } } } }, {}, []],
    ['a value of another type', { params: { values: { n: { blockedValues: ['1'] } } } }, { n: 1 }, []],
    [
      'a value that is not allowed',
      { params: { values: { n: { allowedValues: [1, 2] } } } },
      { n: 3 },
      ['n value_not_allowed'],
    ],
    ['null as a value', { params: { values: { n: { blockedValues: [null] } } } }, { n: null }, ['n value_blocked']],
    ['a blocked parameter', { params: { blockedKeys: ['user'] } }, { user: 'a', model: 'm' }, ['user key_blocked']],
    [
      'a parameter that is not allowed',
      { params: { allowedKeys: ['model'] } },
      { model: 'm', logprobs: true },
      ['logprobs key_not_allowed'],
    ],
    [
      'a type that is not allowed',
      { tools: { allowedTypes: ['function'] } },
      { tools: [{ type: 'mcp' }] },
      ['mcp mcp type_not_allowed'],
    ],
    [
      'a blocked type',
      { tools: { blockedTypes: ['mcp'] } },
      { tools: [chat('a'), { type: 'mcp' }] },
      ['mcp mcp type_blocked'],
    ],
    [
      'a blocked name',
      { tools: { blockedFunctionNames: ['rm'] } },
      { tools: [chat('rm'), chat('ls')] },
      ['function rm name_blocked'],
    ],
    [
      'a name that is not allowed',
      { tools: { allowedFunctionNames: ['ls'] } },
      { tools: [chat('ls'), { type: 'function', name: 'rm' }] },
      ['function rm name_not_allowed'],
    ],
    [
      'a tool of messages',
      { tools: { blockedFunctionNames: ['rm'] } },
      { tools: [{ name: 'rm' }] },
      ['unknown rm name_blocked'],
    ],
    [
      'functions of older clients',
      { tools: { blockedFunctionNames: ['rm'] } },
      { functions: [{ name: 'rm' }] },
      ['function rm name_blocked'],
    ],
    [
      'a tool that is none',
      { tools: { allowedTypes: ['function'] } },
      { tools: ['x'] },
      ['unknown unknown type_not_allowed'],
    ],
    [
      'two reasons',
      { tools: { blockedTypes: ['mcp'], allowedFunctionNames: ['a'] } },
      { tools: [{ type: 'mcp' }] },
      ['mcp mcp type_blocked,name_not_allowed'],
    ],
    ['tools that are no list', { tools: { allowedTypes: ['function'] } }, { tools: 'mcp' }, []],
  ])('%s', async ([, parameters, request, found]) => {
    const { verdict, data } = await run(parameters, request);
    const { blockedToolsFound = [], blockedParamsFound = [] } = data as {
      blockedToolsFound?: { type: string; name: string; reasons: string[] }[];
      blockedParamsFound?: { param: string; reasons: string[] }[];
    };
    const tools = blockedToolsFound.map(({ type, name, reasons }) => `${type} ${name} ${reasons}`);
    const params = blockedParamsFound.map(({ param, reasons }) => `${param} ${reasons}`);
    expect([...tools, ...params]).toEqual(found);
    expect(verdict).toBe(found.length === 0);
  });

  test('repeats no messages and at most 100 tools', async () => {
    const request = {
      messages: [{ role: 'user', content: 'private' }],
      tools: Array.from({ length: 500 }, () => chat('rm')),
    };
    const { data } = await run(
      { params: { blockedKeys: ['messages'] }, tools: { blockedTypes: ['function'] } },
      request,
    );
    expect(JSON.stringify(data)).not.toContain('private');
    expect(data).toMatchObject({ blockedParamsFound: [{ param: 'messages', reasons: ['key_blocked'] }] });
    expect((data as { blockedToolsFound: unknown[] }).blockedToolsFound).toHaveLength(100);
  });

  test('passes answers with an error', async () => {
    const subject = requestOf({ phase: 'output', response: {}, request: { stream: true } });
    const parameters = { params: { blockedKeys: ['stream'] } };
    expect(outcomeOf(await runCheck('requestParametersCheck', parameters, subject))).toBe('T e');
  });
});

test('what a check of types has used is shown', async () => {
  const used = async (parameters: object, metadata: Record<string, unknown>) => {
    const { data } = await runCheck('allowedRequestTypes', parameters, requestOf({ metadata }));
    const { source, mode, allowedTypes } = data as { source: string; mode: string; allowedTypes: string[] };
    return `${source} ${mode} ${allowedTypes}`;
  };
  expect(await used({}, {})).toBe('default unrestricted all');
  expect(await used({ allowedTypes: 'chatComplete' }, {})).toBe('parameters allowlist chatComplete');
  expect(await used({}, { blocked_endpoints: ['embed'] })).toBe('metadata blocklist all');
  expect(await used({ allowedTypes: ['messages'], blockedTypes: ['embed'] }, {})).toBe('parameters combined messages');
});
