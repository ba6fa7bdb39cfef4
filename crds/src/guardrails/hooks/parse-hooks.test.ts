import { describe, expect, test } from 'vitest';
import { formatPath } from '../../schema/index.ts';
import { hooksOf } from './config-hooks.ts';
import { MAX_CHECKS, MAX_HOOKS, parseHooks } from './parse-hooks.ts';

const OPTIONS = { path: ['h'], phase: 'input', literalCredentials: true } as const;
const CONTAINS = { id: 'default.contains', enabled: true, failOnError: false };
const words = (operator = 'any') => ({ words: ['a'], operator });

const parse = (...items: unknown[]) => {
  const parsed = parseHooks(items, OPTIONS);
  if (!parsed.ok) throw new Error(problems(...items).join('\n'));
  return parsed.value;
};
const problems = (...items: unknown[]): readonly string[] => {
  const parsed = parseHooks(items, OPTIONS);
  return parsed.ok ? [] : parsed.error.map(({ path, message }) => `${formatPath(path)}: ${message}`);
};

describe('hooks are parsed to one form', () => {
  const whole = { type: 'guardrail', checks: [{ ...CONTAINS, parameters: words() }] };
  test.each<{ name: string; item: unknown; want: object }>([
    { name: 'a slug', item: 'pg-a', want: { type: 'guardrail', ref: 'pg-a' } },
    { name: 'the id of a stored guardrail', item: { id: 'pg-a' }, want: { type: 'guardrail', ref: 'pg-a' } },
    {
      name: 'a stored guardrail with actions of its own',
      item: { id: 'pg-a', deny: true, on_fail: { feedback: { value: -5 } } },
      want: { type: 'guardrail', ref: 'pg-a', deny: true, onFail: { value: -5, weight: 1 } },
    },
    { name: 'shorthand', item: { 'default.contains': { words: ['a'] } }, want: whole },
    { name: 'shorthand without the plugin', item: { contains: { words: ['a'] } }, want: whole },
    { name: 'shorthand whose key is only unique', item: { 'x.a1': { id: 'contains', words: ['a'] } }, want: whole },
    {
      name: 'the long form',
      item: { checks: [{ id: 'default.contains', parameters: { words: ['a'] } }] },
      want: whole,
    },
    {
      name: 'both spellings of the members',
      item: { contains: { words: ['a'] }, soft_deny_200: true, onFail: { feedback: { value: -1, weight: 0.5 } } },
      want: { ...whole, softDeny200: true, onFail: { value: -1, weight: 0.5 } },
    },
    {
      name: 'a member that says whether a check is enabled',
      item: { checks: [{ id: 'contains', is_enabled: false, soft_deny_200: true, parameters: { words: ['a'] } }] },
      want: { type: 'guardrail', checks: [{ ...CONTAINS, parameters: words(), enabled: false, softDeny200: true }] },
    },
    {
      name: 'the same in shorthand',
      item: { contains: { words: ['a'], is_enabled: false, failOnError: true } },
      want: {
        type: 'guardrail',
        checks: [{ ...CONTAINS, parameters: words(), enabled: false, failOnError: true }],
      },
    },
    {
      name: 'actions in a member of their own, which the others win over',
      item: { id: 'pg-a', actions: { deny: true, async: true }, async: false },
      want: { type: 'guardrail', ref: 'pg-a', deny: true, async: false },
    },
    { name: 'block as an action', item: { id: 'a', actions: { onFail: 'block' } }, want: { ref: 'a', deny: true } },
    { name: 'log as an action', item: { id: 'a', on_fail: 'log', message: 'm' }, want: { deny: false, message: 'm' } },
    {
      name: 'deny inside on_fail',
      item: { id: 'a', on_fail: { deny: true, feedback: { value: -5 } } },
      want: { ref: 'a', deny: true, onFail: { value: -5, weight: 1 } },
    },
    {
      name: 'deny of the hook over that of on_fail',
      item: { id: 'a', deny: false, on_fail: { deny: true } },
      want: { deny: false },
    },
    {
      name: 'feedback whose metadata is a text',
      item: { id: 'a', on_success: { feedback: { value: 5, metadata: 'x' } } },
      want: { onSuccess: { value: 5, weight: 1 } },
    },
    { name: 'a mutator', item: { type: 'mutator', id: 'a' }, want: { type: 'mutator', ref: 'a' } },
    {
      name: 'a mode and a window',
      item: { id: 'a', mode: 'monitor', window: 200 },
      want: { mode: 'monitor', window: 200 },
    },
  ])('$name', ({ item, want }) => {
    expect(parse(item)).toEqual([expect.objectContaining(want)]);
  });

  test('defaults of parameters are written in and credentials are taken out', () => {
    const [hook] = parse({ contains: { words: ['a'] } });
    expect(hook?.checks?.[0]?.parameters).toEqual({ words: ['a'], operator: 'any' });
  });

  test('a list that is absent is empty', () => {
    expect(parseHooks(undefined, OPTIONS)).toEqual({ ok: true, value: [] });
  });
});

describe('problems of hooks come with their path and the nearest name', () => {
  test.each<{ name: string; item: unknown; want: string }>([
    {
      name: 'an unknown check',
      item: { 'default.contain': {} },
      want: 'h[0].default.contain: unknown check default.contain; did you mean default.contains?',
    },
    {
      name: 'an unknown check by its id',
      item: { checks: [{ id: 'default.contain' }] },
      want: 'h[0].checks[0].id: unknown check default.contain; did you mean default.contains?',
    },
    {
      name: 'an unknown parameter',
      item: { contains: { words: ['a'], operater: 'any' } },
      want: 'h[0].contains.operater: unknown field; did you mean operator?',
    },
    {
      name: 'a parameter with a wrong value',
      item: { checks: [{ id: 'contains', parameters: { words: ['a'], operator: 'al' } }] },
      want: 'h[0].checks[0].parameters.operator: expected one of any, all, none; did you mean all?',
    },
    {
      name: 'a misspelled member',
      item: { denny: true, contains: { words: ['a'] } },
      want: 'h[0].denny: unknown field; did you mean deny?',
    },
    {
      name: 'a misspelled member of the long form',
      item: { checks: [], asinc: true },
      want: 'h[0].asinc: unknown field; did you mean async?',
    },
    {
      name: 'a member of the wrong type',
      item: { id: 'a', on_fail: { feedback: { value: 50 } } },
      want: 'h[0].on_fail',
    },
    {
      name: 'a member in the spelling of the document',
      item: { id: 'a', soft_deny_200: 'yes' },
      want: 'h[0].soft_deny_200: ',
    },
    {
      name: 'neither checks nor an id',
      item: { deny: true },
      want: 'h[0]: expected checks, or the id of a stored guardrail',
    },
    {
      name: 'an empty list of checks',
      item: { checks: [] },
      want: 'h[0]: expected checks, or the id of a stored guardrail',
    },
    {
      name: 'a check without parameters',
      item: { 'default.contains': true },
      want: 'h[0].default.contains: expected the parameters of the check',
    },
    {
      name: 'a failOnError that is no flag',
      item: { contains: { words: ['a'], failOnError: 'yes' } },
      want: 'h[0].contains.failOnError: expected true or false',
    },
    {
      name: 'a credential that the check does not take',
      item: { contains: { words: ['a'], credentials: { apiKey: 'k' } } },
      want: 'h[0].contains.credentials.apiKey: default.contains takes no credential',
    },
    {
      name: 'a credential beside the checks',
      item: { checks: [{ id: 'contains', parameters: { words: ['a'] } }], credentials: { apiKey: 'k' } },
      want: 'h[0].checks[0].parameters.credentials.apiKey: default.contains takes no credential',
    },
    {
      name: 'a parameter that is named like a prototype',
      item: JSON.parse('{"contains": {"words": ["a"], "__proto__": {"operator": "all"}}}'),
      want: 'h[0].contains.__proto__: unknown field',
    },
    {
      name: 'an action that is named like a prototype',
      item: JSON.parse('{"contains": {"words": ["a"]}, "actions": {"__proto__": {"deny": true}}}'),
      want: 'h[0].actions.__proto__: unknown field',
    },
    {
      name: 'a credential that is named like a prototype',
      item: JSON.parse('{"lakera.guard": {"credentials": {"__proto__": {"apiKey": "k"}, "apiKey": "k"}}}'),
      want: 'h[0].lakera.guard.credentials.__proto__: unknown field',
    },
    {
      name: 'parameters that are no object',
      item: { checks: [{ id: 'contains', parameters: ['a'] }] },
      want: 'h[0].checks[0].parameters: expected an object',
    },
    { name: 'a number', item: 7, want: 'h[0]: expected the slug of a guardrail, or a guardrail written out' },
    { name: 'an empty slug', item: '', want: 'h[0]: expected the slug of a guardrail' },
  ])('$name', ({ item, want }) => {
    expect(problems(item)).toEqual([expect.stringContaining(want)]);
  });

  test('a literal credential in a resource', () => {
    const item = { contains: { words: ['a'], credentials: { apiKey: 'k' } } };
    const parsed = parseHooks([item], { ...OPTIONS, literalCredentials: false });
    expect(parsed).toMatchObject({ ok: false, error: [{ path: ['h', 0, 'contains', 'credentials'] }] });
    expect(JSON.stringify(parsed)).toContain('parametersSecretRef');
  });

  test('more hooks or checks than are allowed', () => {
    expect(problems(...Array(MAX_HOOKS + 1).fill('a'))).toEqual([expect.stringContaining(`at most ${MAX_HOOKS}`)]);
    const checks = Array(MAX_CHECKS).fill({ id: 'contains', parameters: { words: ['a'] } });
    expect(problems({ checks }, { contains: { words: ['a'] } })).toEqual([
      expect.stringContaining(`at most ${MAX_CHECKS}`),
    ]);
  });

  test('only so many problems are listed', () => {
    expect(problems(...Array(MAX_HOOKS).fill({ x: {}, y: {} }))).toHaveLength(16);
  });
});

test('the lists of a direction run in their order, with the type of their member', () => {
  const node = {
    inputMutators: [{ id: 'm' }],
    inputGuardrails: ['g'],
    beforeRequestHooks: [{ id: 'h' }],
    outputGuardrails: ['o'],
  };
  const hooks = hooksOf(node, 'input', { path: [], literalCredentials: true });
  expect(hooks.ok && hooks.value.map(({ ref, type }) => [ref, type])).toEqual([
    ['h', 'guardrail'],
    ['g', 'guardrail'],
    ['m', 'mutator'],
  ]);
});
