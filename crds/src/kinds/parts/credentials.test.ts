import { describe, expect, test } from 'vitest';
import { formatPath } from '../../schema/index.ts';
import { checkConnection, headerMap } from './credentials.ts';

describe('a connection', () => {
  test.for([
    {
      rule: 'with the API key from one entry',
      spec: { provider: 'openai', secretRef: { name: 's', key: 'k' } },
      want: [],
    },
    { rule: 'with all secret fields of a Secret', spec: { provider: 'bedrock', secretRef: { name: 's' } }, want: [] },
    {
      rule: 'with an identity instead of a credential',
      spec: { provider: 'bedrock', settings: { aws_role_arn: 'arn' } },
      want: [],
    },
    {
      rule: 'with one entry where the provider takes more',
      spec: { provider: 'vertex-ai', secretRef: { name: 's', key: 'k' }, settings: { vertex_region: 'eu' } },
      want: ['spec.settings'],
    },
    {
      rule: 'with the service account in the Secret',
      spec: { provider: 'vertex-ai', secretRef: { name: 's' }, settings: { vertex_region: 'eu' } },
      want: [],
    },
    { rule: 'without a credential', spec: { provider: 'groq' }, want: ['spec.secretRef'] },
    { rule: 'to a host of its own', spec: { provider: 'groq', customHost: 'http://groq' }, want: [] },
    {
      rule: 'to a provider that needs no credential',
      spec: { provider: 'ollama', customHost: 'http://ollama' },
      want: [],
    },
    { rule: 'to a provider that needs a host', spec: { provider: 'ollama' }, want: ['spec.settings'] },
    {
      rule: 'with deployments instead of one',
      spec: { provider: 'azure-openai', secretRef: { name: 's' }, customHost: 'http://a', deployments: [{}] },
      want: [],
    },
    {
      rule: 'with everything wrong',
      spec: { provider: 'azure-openai', settings: { nope: 'x', azure_ad_token: 'y', resource_name: 'r' } },
      want: ['spec.settings.nope', 'spec.settings.azure_ad_token', 'spec.settings'],
    },
  ])('$rule', ({ spec, want }) => {
    expect(checkConnection(spec).map(({ path }) => formatPath(path))).toEqual(want);
  });
});

test.for([
  { headers: { 'x-team': 'a', Authorization: 'b' }, good: true },
  { headers: { 'x team': 'a' }, good: false },
  { headers: { 'x:': 'a' }, good: false },
  { headers: { 'x\n': 'a' }, good: false },
])('headers $headers pass: $good', ({ headers, good }) => {
  expect(headerMap('headers are.').safeParse(headers).success).toBe(good);
});
