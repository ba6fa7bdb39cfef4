import { describe, expect, test } from 'vitest';
import type { Call, JsonObject } from '../contract.ts';
import { betaHeader, isClaude, toCountTokens, toRawPredict } from './claude-body.ts';

type Texts = Readonly<Record<string, string>>;

const callOf = (model: string, over: { fields?: Texts; headers?: Texts; params?: JsonObject } = {}): Call => ({
  operation: 'chatComplete',
  endpoint: 'messages',
  stream: false,
  provider: 'vertex-ai',
  model,
  strict: true,
  params: over.params ?? {},
  path: '/messages',
  query: '',
  route: {},
  header: (name) => over.headers?.[name],
  now: () => 0,
  newId: (prefix) => prefix,
  fields: { text: (key) => over.fields?.[key], secret: () => undefined },
});
const CLAUDE = 'anthropic.claude-sonnet-4-5';

describe('a call for Claude', () => {
  test.for([
    { model: CLAUDE, want: true },
    { model: 'claude-haiku-4-5', want: true },
    { model: 'google.claude-like', want: false },
    { model: 'anthropic.other', want: false },
    { model: 'gemini-2.0-flash', want: false },
  ])('$model: $want', ({ model, want }) => {
    expect(isClaude(callOf(model))).toBe(want);
  });

  test.for([
    { rule: 'has a default', fields: {}, body: {}, want: 'vertex-2023-10-16' },
    {
      rule: 'comes from the target',
      fields: { anthropic_version: 'vertex-a' },
      body: { anthropic_version: 'vertex-b' },
      want: 'vertex-a',
    },
    { rule: 'comes from the body', fields: {}, body: { anthropic_version: 'vertex-b' }, want: 'vertex-b' },
    {
      rule: 'is never one of the publisher',
      fields: { anthropic_version: '2023-06-01' },
      body: { anthropic_version: 7 },
      want: 'vertex-2023-10-16',
    },
  ])('has a version that $rule', ({ fields, body, want }: { fields: Texts; body: JsonObject; want: string }) => {
    expect(toRawPredict(body, callOf(CLAUDE, { fields }))['anthropic_version']).toBe(want);
  });

  test('has its model in the path, but in the body to count tokens', () => {
    const body = Object.freeze({ model: CLAUDE, anthropic_beta: ['b'], max_tokens: 1 });
    const version = { anthropic_version: 'vertex-2023-10-16' };
    expect(toRawPredict(body, callOf(CLAUDE))).toEqual({ max_tokens: 1, ...version });
    expect(toCountTokens(body, callOf(CLAUDE))).toEqual({ max_tokens: 1, ...version, model: 'claude-sonnet-4-5' });
  });

  const REFUSED = 'prompt-caching-scope-2026-01-05';

  test.for([
    {
      rule: 'from the target first',
      over: { fields: { anthropic_beta: 'a, b' }, headers: { 'anthropic-beta': 'c' } },
      want: 'a,b',
    },
    { rule: 'from the client', over: { headers: { 'anthropic-beta': `c,${REFUSED}` } }, want: 'c' },
    { rule: 'from a list in the body', over: { params: { anthropic_beta: ['d', 7, 'e'] } }, want: 'd,e' },
    { rule: 'from a text in the body', over: { params: { anthropic_beta: 'd' } }, want: 'd' },
    { rule: 'none when all are refused', over: { headers: { 'anthropic-beta': REFUSED } }, want: undefined },
    { rule: 'none by default', over: {}, want: undefined },
  ])('has betas $rule', ({ over, want }) => {
    expect(betaHeader(callOf(CLAUDE, over))).toBe(want);
  });

  test('has betas, no other call has', () => {
    expect(betaHeader(callOf('gemini-2.0-flash', { fields: { anthropic_beta: 'a' } }))).toBeUndefined();
  });
});
