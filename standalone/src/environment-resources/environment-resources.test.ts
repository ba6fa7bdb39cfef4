import { isObject } from '@gatehouse/crds';
import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { CONVENTIONS } from '@gatehouse/crds/providers';
import { describe, expect, test } from 'vitest';
import { stateOfResources } from '../resource-folder/index.ts';
import { defaultRouteOf, findProviders, MOCKED, toResources } from './index.ts';

const stateOf = (resources: readonly object[]) =>
  stateOfResources('the environment', resources, { variables: {}, caps: DEFAULT_TARGET_CAPS });

const ADMIN = 'an-admin-key-of-at-least-thirty-two-characters';
const idsOf = (variables: Readonly<Record<string, string>>): string[] =>
  findProviders(variables, ADMIN).found.map(({ id }) => id);

describe('a provider is found', () => {
  test.for<{ rule: string; variables: Readonly<Record<string, string>>; ids: string[] }>([
    { rule: 'by its variable', variables: { ANTHROPIC_API_KEY: 'a' }, ids: ['anthropic'] },
    { rule: 'by either of two', variables: { GEMINI_API_KEY: 'a' }, ids: ['google'] },
    { rule: 'once for both', variables: { GEMINI_API_KEY: 'a', GOOGLE_API_KEY: 'b' }, ids: ['google'] },
    { rule: 'beside others', variables: { GROQ_API_KEY: 'a', OPENAI_API_KEY: 'b' }, ids: ['openai', 'groq'] },
    { rule: 'not by an empty variable', variables: { OPENAI_API_KEY: ' ' }, ids: [] },
    { rule: 'not by half of a credential', variables: { AWS_ACCESS_KEY_ID: 'a' }, ids: [] },
    { rule: 'by both halves', variables: { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }, ids: ['bedrock'] },
    { rule: 'by its address where it needs no key', variables: { OLLAMA_HOST: '127.0.0.1' }, ids: ['ollama'] },
    { rule: 'not by the address of an SDK', variables: { OPENAI_BASE_URL: 'https://a' }, ids: [] },
  ])('$rule', ({ variables, ids }) => {
    expect(idsOf(variables)).toEqual(ids);
  });

  test.for([{ value: 'gwk_of_an_application' }, { value: ADMIN }])(
    'not by a key of the gateway, which would go to the provider: $value',
    ({ value }) => {
      expect(findProviders({ OPENAI_API_KEY: value, GROQ_API_KEY: 'a' }, ADMIN)).toMatchObject({
        found: [{ id: 'groq' }],
        gatewayKeys: ['OPENAI_API_KEY'],
      });
    },
  );
});

const VALUES: Readonly<Record<string, string>> = { AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com' };

test.for(['\u201csk-1\u201d', 'sk-\u20261', 'sk-\n1'])(
  'a credential that no header can carry is not used, and its variable is named: %j',
  (value) => {
    expect(findProviders({ OPENAI_API_KEY: value, GROQ_API_KEY: 'a' }, ADMIN)).toMatchObject({
      found: [{ id: 'groq' }],
      unsendable: ['OPENAI_API_KEY'],
    });
  },
);

describe('the resources', () => {
  test('are valid for every provider, and serve one account each', () => {
    const variables = Object.fromEntries(
      [...CONVENTIONS.values()]
        .flatMap((row) => Object.values(row.variables).flat())
        .map((name) => [name, VALUES[name] ?? 'value']),
    );
    const { found } = findProviders(variables, ADMIN);
    expect(found.map(({ id }) => id)).toEqual([...CONVENTIONS.keys()]);
    const { problems, snapshot } = stateOf(toResources(found));
    expect(problems).toEqual([]);
    const slugs = snapshot.entries.flatMap(({ kind, body }) => (kind === 'provider' ? [body.slug] : []));
    expect(slugs.toSorted()).toEqual([...CONVENTIONS.keys()].toSorted());
  });

  test('hold credentials apart from settings', () => {
    const { found } = findProviders({ OPENAI_API_KEY: 'sk-1', OPENAI_ORG_ID: 'org-1' }, ADMIN);
    const { snapshot } = stateOf(toResources(found));
    const bodies = Object.fromEntries(snapshot.entries.map(({ kind, body }) => [kind, body]));
    expect(bodies['credential']).toEqual({ fields: { api_key: 'sk-1' } });
    expect(bodies['provider']).toMatchObject({ settings: { openai_organization: 'org-1' } });
    expect(JSON.stringify(bodies['provider'])).not.toContain('sk-1');
  });

  test('lead to the mock provider where there is one', () => {
    const { problems, snapshot } = stateOf(toResources(MOCKED, { mockUrl: 'http://127.0.0.1:8790' }));
    expect(problems).toEqual([]);
    const hosts = snapshot.entries.flatMap(({ kind, body }) =>
      kind === 'provider' && isObject(body) ? [`${body.slug} ${body.customHost}`] : [],
    );
    expect(hosts.toSorted()).toEqual([
      'anthropic http://127.0.0.1:8790/v1',
      'google http://127.0.0.1:8790',
      'openai http://127.0.0.1:8790/v1',
    ]);
  });
});

describe('requests that name no provider', () => {
  test.for<{ rule: string; set: string[]; want: object | undefined }>([
    { rule: 'go to the only one', set: ['GROQ_API_KEY'], want: { messages: 'groq', others: 'groq' } },
    {
      rule: 'go to the provider whose format they have',
      set: ['GROQ_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
      want: { messages: 'anthropic', others: 'openai' },
    },
    {
      rule: 'all go to the one whose format it is, where only that is there',
      set: ['GROQ_API_KEY', 'ANTHROPIC_API_KEY'],
      want: { messages: 'anthropic', others: 'anthropic' },
    },
    { rule: 'go nowhere among equals', set: ['GROQ_API_KEY', 'MISTRAL_API_KEY'], want: undefined },
    { rule: 'go nowhere where nothing is served', set: [], want: undefined },
  ])('$rule', ({ set, want }) => {
    const { found } = findProviders(Object.fromEntries(set.map((name) => [name, 'value'])), ADMIN);
    expect(defaultRouteOf(found)).toEqual(want);
    expect(stateOf(toResources(found)).problems).toEqual([]);
  });
});
