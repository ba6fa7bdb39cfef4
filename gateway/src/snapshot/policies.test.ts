/** Which requests a policy applies to, and the counter of each. */
import { describe, expect, test } from 'vitest';
import { compilePolicy, type PolicyFacts } from './policies.ts';

const FACTS: PolicyFacts = {
  apiKey: { id: 'key/team-a/app', name: 'app' },
  workspace: 'team-a',
  metadata: { team: 'red', level: 3, on: true, empty: '', list: ['x'], nothing: null },
  account: { id: 'provider/team-a/main', slug: 'main' },
  provider: 'openai',
  config: { workspace: '', slug: 'standard' },
  model: 'gpt-4o',
  endpointType: 'chatComplete',
};

interface Condition {
  readonly [member: string]: unknown;
  readonly key: string;
  readonly values?: string[];
  readonly excludes?: string[];
}

const compiled = (conditions: readonly Condition[], groupBy: readonly string[]) =>
  compilePolicy({
    kind: 'policy',
    id: 'policy/team-a/RateLimitPolicy:p',
    workspace: 'team-a',
    generation: 1,
    digest: '',
    body: { name: 'p', conditions: [...conditions], groupBy: groupBy.map((key) => ({ key })) },
  });

const bucketOf = (conditions: readonly Condition[], groupBy: readonly string[], facts: Partial<PolicyFacts> = {}) =>
  compiled(conditions, groupBy).bucketOf({ ...FACTS, ...facts });

const applies = (conditions: readonly Condition[], facts: Partial<PolicyFacts> = {}): boolean =>
  bucketOf(conditions, [], facts) !== undefined;

describe('a policy', () => {
  test.for<{ rule: string; conditions: Condition[]; facts?: Partial<PolicyFacts>; want: boolean }>([
    {
      rule: 'needs all conditions: one is missed',
      conditions: [
        { key: 'provider', values: ['openai'] },
        { key: 'model', values: ['x'] },
      ],
      want: false,
    },
    {
      rule: 'needs all conditions: both hold',
      conditions: [
        { key: 'provider', values: ['openai'] },
        { key: 'model', values: ['*'] },
      ],
      want: true,
    },
    {
      rule: 'compares models without case and spaces around them',
      conditions: [{ key: 'model', values: ['@openai/GPT-4o'] }],
      facts: { model: ' gpt-4O ' },
      want: true,
    },
    {
      rule: 'compares prefixes of models without case',
      conditions: [{ key: 'model', values: ['@OpenAI/*'], excludes: ['@openai/GPT-4o'] }],
      facts: { model: 'Gpt-4o' },
      want: false,
    },
    {
      rule: 'compares other values as they are',
      conditions: [{ key: 'metadata.team', values: ['RED'] }],
      want: false,
    },
    {
      rule: 'accepts any of several values',
      conditions: [{ key: 'provider', values: ['anthropic', 'openai'] }],
      want: true,
    },
    {
      rule: 'compares excludes first',
      conditions: [{ key: 'model', values: ['*'], excludes: ['@openai/gpt-4o'] }],
      want: false,
    },
    {
      rule: 'with excludes alone takes all others',
      conditions: [{ key: 'model', excludes: ['@openai/gpt-4'] }],
      want: true,
    },
    {
      rule: 'with excludes alone still needs a value',
      conditions: [{ key: 'model', excludes: ['@openai/gpt-4'] }],
      facts: { model: '' },
      want: false,
    },
    {
      rule: 'does not apply without a value, whatever is accepted',
      conditions: [{ key: 'metadata.absent', values: ['*'] }],
      want: false,
    },
    { rule: 'finds a key by its name', conditions: [{ key: 'api_key', values: ['app'] }], want: true },
    { rule: 'finds a key by workspace and name', conditions: [{ key: 'api_key', values: ['team-a/app'] }], want: true },
    { rule: 'finds a workspace', conditions: [{ key: 'workspace_id', values: ['team-a'] }], want: true },
    { rule: 'finds the organisation', conditions: [{ key: 'organisation_id', values: ['default'] }], want: true },
    { rule: 'finds an account by its slug', conditions: [{ key: 'virtual_key', values: ['main'] }], want: true },
    {
      rule: 'takes a provider that the request names itself for no account',
      conditions: [{ key: 'virtual_key', values: ['*'] }],
      facts: { account: undefined },
      want: false,
    },
    { rule: 'finds a config by its slug', conditions: [{ key: 'config', values: ['standard'] }], want: true },
    {
      rule: 'without config does not apply to one',
      conditions: [{ key: 'config', values: ['*'] }],
      facts: { config: undefined },
      want: false,
    },
    { rule: 'finds a model of a provider', conditions: [{ key: 'model', values: ['@openai/gpt-4o'] }], want: true },
    { rule: 'finds a model of any provider', conditions: [{ key: 'model', values: ['gpt-4o'] }], want: true },
    { rule: 'finds all models of a provider', conditions: [{ key: 'model', values: ['@openai/*'] }], want: true },
    {
      rule: 'does not take a longer name for the provider',
      conditions: [{ key: 'model', values: ['@open/*'] }],
      want: false,
    },
    {
      rule: 'reads a wildcard in models alone',
      conditions: [{ key: 'metadata.team', values: ['r/*'] }],
      facts: { metadata: { team: 'r/x' } },
      want: false,
    },
    { rule: 'finds an operation', conditions: [{ key: 'endpoint_type', values: ['chatComplete'] }], want: true },
    {
      rule: 'compares numbers of metadata as texts',
      conditions: [{ key: 'metadata.level', values: ['3'] }],
      want: true,
    },
    {
      rule: 'compares switches of metadata as texts',
      conditions: [{ key: 'metadata.on', values: ['true'] }],
      want: true,
    },
    { rule: 'has nothing to compare in lists', conditions: [{ key: 'metadata.list', values: ['*'] }], want: false },
    { rule: 'takes an empty text for no value', conditions: [{ key: 'metadata.empty', values: ['*'] }], want: false },
    {
      rule: 'does not find inherited members',
      conditions: [{ key: 'metadata.constructor', values: ['*'] }],
      want: false,
    },
    {
      rule: 'does not apply for a property that it does not know',
      conditions: [{ key: 'moon_phase', values: ['*'] }],
      want: false,
    },
  ])('$rule', ({ conditions, facts, want }) => {
    expect(applies(conditions, facts)).toBe(want);
  });

  test.for<{ groupBy: string[]; want: string | undefined }>([
    { groupBy: [], want: 'default' },
    { groupBy: ['metadata.team'], want: 'metadata.team:red' },
    { groupBy: ['api_key', 'model'], want: 'api_key:team-a/app-model:openai.gpt-4o' },
    { groupBy: ['virtual_key', 'config'], want: 'virtual_key:team-a/main-config:/standard' },
    {
      groupBy: ['workspace_id', 'organisation_id', 'provider', 'endpoint_type'],
      want: 'workspace_id:team-a-organisation_id:default-provider:openai-endpoint_type:chatComplete',
    },
    { groupBy: ['metadata.team', 'metadata.absent'], want: undefined },
  ])('grouped by $groupBy counts in $want', ({ groupBy, want }) => {
    expect(bucketOf([], groupBy)).toBe(want);
  });

  test.for<{ condition: Omit<Condition, 'key'>; want: boolean }>([
    { condition: { values: ['other'] }, want: true },
    { condition: { values: ['*'] }, want: true },
    { condition: { values: ['@OpenAI/other'] }, want: true },
    { condition: { values: ['openai.other'] }, want: true },
    { condition: { values: ['@anthropic/*', '@openai/*'] }, want: true },
    { condition: { excludes: ['gpt-4o', '@openai/gpt-4o'] }, want: true },
    { condition: { values: ['@anthropic/*', '@open/*'] }, want: false },
    { condition: { values: ['*'], excludes: ['@OPENAI/*'] }, want: false },
    { condition: { excludes: ['*'] }, want: false },
  ])('may apply to another model of the provider by $condition: $want', ({ condition, want }) => {
    const model = { key: 'model', ...condition };
    for (const name of ['gpt-4o', '']) {
      expect(compiled([model], ['model']).mayApply({ ...FACTS, model: name })).toBe(want);
      const misses = [model, { key: 'provider', values: ['other'] }];
      expect(compiled(misses, []).mayApply({ ...FACTS, model: name })).toBe(false);
      expect(compiled([model], ['metadata.absent']).mayApply({ ...FACTS, model: name })).toBe(false);
    }
  });

  test('counts keys of the same name in two workspaces apart', () => {
    const other = { id: 'key/team-b/app', name: 'app' };
    expect(bucketOf([], ['api_key'], { apiKey: other })).not.toBe(bucketOf([], ['api_key']));
  });

  test('bounds the length of a bucket and keeps long values apart', () => {
    const long = (end: string) => bucketOf([], ['metadata.team'], { metadata: { team: 'x'.repeat(10_000) + end } });
    expect(long('a')?.length).toBeLessThanOrEqual(200);
    expect(long('a')).toMatch(/^metadata\.team:x+~[0-9a-f]{32}$/);
    expect(long('a')).not.toBe(long('b'));
  });
});
