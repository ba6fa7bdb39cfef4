import { describe, expect, test } from 'vitest';
import { PROVIDER_CATALOGUE } from './catalogue.ts';
import { CLOUDS, identityRequestOf, nodeUsesPodIdentity, podIdentityProblems } from './index.ts';

const ROLE = { aws_auth_type: 'assumedRole', aws_role_arn: 'arn:aws:iam::1:role/r' };

describe('a request for the identity of the pod', () => {
  test.for<{ rule: string; id: string; settings: Record<string, string>; hasSecretFields?: boolean; cloud?: string }>([
    { rule: 'is a service role', id: 'bedrock', settings: { aws_auth_type: 'serviceRole' }, cloud: 'aws' },
    {
      rule: 'is a service role whatever is stored beside it',
      id: 'sagemaker',
      settings: { aws_auth_type: ' serviceRole ' },
      hasSecretFields: true,
      cloud: 'aws',
    },
    { rule: 'is a role without keys', id: 'bedrock', settings: ROLE, cloud: 'aws' },
    { rule: 'is not a role with keys', id: 'bedrock', settings: ROLE, hasSecretFields: true },
    { rule: 'is a managed identity', id: 'azure-openai', settings: { azure_auth_mode: 'managed' }, cloud: 'azure' },
    { rule: 'is a workload identity', id: 'azure-ai', settings: { azure_auth_mode: 'workload' }, cloud: 'azure' },
    { rule: 'is not an application', id: 'azure-ai', settings: { azure_auth_mode: 'entra' } },
    { rule: 'is a workload of Google', id: 'vertex-ai', settings: { vertex_auth_type: 'workload' }, cloud: 'gcp' },
    { rule: 'is nothing that other providers know', id: 'openai', settings: { aws_auth_type: 'serviceRole' } },
    { rule: 'is no name of the prototype', id: 'bedrock', settings: { aws_auth_type: 'constructor' } },
  ])('$rule', ({ id, settings, hasSecretFields = false, cloud }) => {
    const provider = PROVIDER_CATALOGUE.get(id);
    expect(identityRequestOf(provider, { settings, hasSecretFields })?.cloud).toBe(cloud);
    expect(nodeUsesPodIdentity({ provider: id, settings, hasCredential: hasSecretFields })).toBe(cloud !== undefined);
  });

  test('is possible for some provider of every cloud, with a setting of kind routing', () => {
    const identities = [...PROVIDER_CATALOGUE.values()].flatMap(({ fields, podIdentity }) => {
      if (podIdentity === undefined) return [];
      const names = [podIdentity.field, podIdentity.scopes?.field, ...(podIdentity.ofOrganisation ?? [])];
      const own = fields.filter(({ key }) => names.includes(key));
      expect(own.map(({ kind }) => kind)).toEqual(own.map(() => 'routing'));
      return [podIdentity.cloud];
    });
    expect(new Set(identities)).toEqual(new Set(CLOUDS));
  });
});

describe('what a grant does not cover', () => {
  const foundry = (url: string) => ({ settings: { azure_auth_mode: 'managed', azure_foundry_url: url } });

  test.for<{ rule: string; id: string; account: Parameters<typeof podIdentityProblems>[1]; keys: string[] }>([
    { rule: 'nothing of a plain account', id: 'bedrock', account: { settings: ROLE }, keys: [] },
    {
      rule: 'a host',
      id: 'bedrock',
      account: { settings: ROLE, customHost: 'https://x.example' },
      keys: ['customHost'],
    },
    {
      rule: 'a scope of another API',
      id: 'azure-openai',
      account: { settings: { azure_entra_scope: 'https://management.azure.com/.default' } },
      keys: ['azure_entra_scope'],
    },
    {
      rule: 'no scope for models',
      id: 'azure-openai',
      account: { settings: { azure_entra_scope: 'https://ai.azure.com/.default' } },
      keys: [],
    },
    {
      rule: 'a storage',
      id: 'azure-openai',
      account: { settings: { azure_auth_mode: 'workload', azure_storage_account: 'outputs' } },
      keys: ['azure_storage_account'],
    },
    {
      rule: 'no address of the vendor',
      id: 'azure-ai',
      account: foundry('https://x.services.ai.azure.com/models'),
      keys: [],
    },
    ...[
      'https://x.example',
      'https://services.ai.azure.com.x.example',
      'https://xservices.ai.azure.com',
      'http://x.services.ai.azure.com',
      'https://x.services.ai.azure.com:8443',
      'https://x.services.ai.azure.com@evil.example',
      'no url',
    ].map((url) => ({
      rule: `the address ${url}`,
      id: 'azure-ai',
      account: foundry(url),
      keys: ['azure_foundry_url'],
    })),
  ])('$rule', ({ id, account, keys }) => {
    expect(podIdentityProblems(PROVIDER_CATALOGUE.get(id), account).map(({ key }) => key)).toEqual(keys);
  });
});
