import { describe, expect, test } from 'vitest';
import {
  API_KEY,
  canAuthenticate,
  fieldProblems,
  PROVIDER_CATALOGUE,
  type ProviderEntry,
  secretFieldsOf,
  settingsProblems,
} from './index.ts';

const entry = (id: string): ProviderEntry => {
  const found = PROVIDER_CATALOGUE.get(id);
  if (found === undefined) throw new Error(`no provider ${id}`);
  return found;
};
const given =
  (...keys: string[]) =>
  (key: string) =>
    keys.includes(key);

describe('the catalogue', () => {
  test.for([...PROVIDER_CATALOGUE.values()])('row $id names fields it has', ({ fields, requires, credentials }) => {
    const names = [API_KEY, 'custom_host', 'deployments', ...fields.map(({ key }) => key)];
    expect([...requires.flat(), ...credentials].filter((name) => !names.includes(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(fields.filter(({ header }) => header !== undefined && header !== header.toLowerCase())).toEqual([]);
  });

  test('is sorted by id', () => {
    const ids = [...PROVIDER_CATALOGUE.keys()];
    expect(ids).toEqual(ids.toSorted((a, b) => a.localeCompare(b, 'en')));
  });
});

describe('a provider', () => {
  test.for([
    { id: 'openai', keys: [], fields: 0, authenticates: false },
    { id: 'openai', keys: [API_KEY], fields: 0, authenticates: true },
    { id: 'ollama', keys: [], fields: 1, authenticates: true },
    { id: 'azure-openai', keys: [API_KEY, 'resource_name'], fields: 1, authenticates: true },
    { id: 'azure-openai', keys: ['azure_ad_token', 'custom_host', 'deployments'], fields: 0, authenticates: true },
    { id: 'bedrock', keys: ['aws_role_arn'], fields: 0, authenticates: true },
  ])('$id with $keys lacks $fields fields, authenticates: $authenticates', ({ id, keys, fields, authenticates }) => {
    expect(fieldProblems(entry(id), given(...keys))).toHaveLength(fields);
    expect(canAuthenticate(entry(id), given(...keys))).toBe(authenticates);
  });

  test('has the API key and every secret field in its Secret', () => {
    expect(secretFieldsOf(entry('bedrock'))).toEqual([
      API_KEY,
      'aws_access_key_id',
      'aws_secret_access_key',
      'aws_session_token',
    ]);
  });
});

describe('settings', () => {
  test.for([
    { rule: 'take plain fields', id: 'bedrock', keys: ['aws_region'], bad: [] },
    {
      rule: 'refuse secret fields',
      id: 'bedrock',
      keys: ['aws_region', 'aws_secret_access_key'],
      bad: ['aws_secret_access_key'],
    },
    {
      rule: 'refuse what nothing reads',
      id: 'vertex-ai',
      keys: ['vertex_skip_ptu_cost_attribution', 'vertex_region'],
      bad: ['vertex_skip_ptu_cost_attribution'],
    },
    { rule: 'refuse the API key', id: 'groq', keys: [API_KEY], bad: [API_KEY] },
    {
      rule: 'refuse fields of other providers',
      id: 'openai',
      keys: ['aws_region', 'toString'],
      bad: ['aws_region', 'toString'],
    },
    {
      rule: 'of a provider known later refuse any credential',
      id: '@main',
      keys: ['aws_region', 'modal_secret'],
      bad: ['modal_secret'],
    },
  ])('$rule', ({ id, keys, bad }) => {
    expect(settingsProblems(PROVIDER_CATALOGUE.get(id), keys).map(({ key }) => key)).toEqual(bad);
  });
});
