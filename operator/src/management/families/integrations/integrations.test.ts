import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestManagement, type TestManagement } from '../../testing.ts';

let management: TestManagement;
beforeAll(async () => {
  management = await createTestManagement(['organisation_integrations', 'workspace_integrations', 'providers']);
});
afterAll(() => management.close());

const call: TestManagement['call'] = (...args) => management.call(...args);

const make = async (body: object, key = 'organisation'): Promise<string> => {
  const answer = await call(key, 'POST', '/integrations', {
    name: 'Our account',
    ai_provider_id: 'openai',
    key: 'canary',
    ...body,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return `/integrations/${String(answer.body['slug'])}`;
};
const get = async (url: string, key = 'organisation') => (await call(key, 'GET', url)).body;
const put = (url: string, body: object, key = 'organisation') => call(key, 'PUT', url, body);
const nameOf = (url: string): string => url.split('/')[2] ?? '';
const specOf = async (url: string, namespace = 'gatehouse-system') =>
  (await management.store.get({ kind: 'Integration', namespace, name: nameOf(url) }))?.spec;

describe('an integration', () => {
  test('of the organisation is made, read, listed, changed and deleted', async () => {
    const url = await make({ slug: 'main', description: 'Why', pricing_adjustments: { multiplier: { default: 0.8 } } });
    expect(await get(url)).toMatchObject({
      object: 'integration',
      slug: 'main',
      name: 'Our account',
      ai_provider_id: 'openai',
      type: 'organisation',
      workspace_id: null,
      masked_key: '********',
      configurations: {},
      global_workspace_access_settings: null,
      allow_all_models: true,
      workspace_count: 0,
      secret_mappings: [],
      pricing_adjustments: { multiplier: { default: 0.8 } },
    });
    expect(JSON.stringify([await get(url), await specOf(url)])).not.toContain('canary');
    expect((await put(url, { name: 'Theirs', description: null, pricing_adjustments: null })).status).toBe(200);
    expect(await get(url)).toMatchObject({ name: 'Theirs', description: null, pricing_adjustments: null });
    expect((await get('/integrations?type=organisation'))['data']).toMatchObject([{ slug: 'main' }]);
    expect((await get('/integrations?type=workspace'))['data']).toEqual([]);
    expect((await call('organisation', 'DELETE', url)).status).toBe(200);
    expect((await call('organisation', 'GET', url)).status).toBe(404);
  });

  test('of a workspace comes with a provider, unless none is wanted', async () => {
    const url = await make({ default_provider_slug: 'ours' }, 'a');
    expect(await get(url, 'a')).toMatchObject({ type: 'workspace', workspace_id: expect.any(String) });
    const provider = await management.store.get({ kind: 'Provider', namespace: 'team-a', name: 'ours' });
    expect(provider?.spec.integrationRef.name).toBe(nameOf(url));
    const taken = { name: 'Second', ai_provider_id: 'openai', key: 'k', slug: 'second', default_provider_slug: 'ours' };
    expect(await call('a', 'POST', '/integrations', taken)).toMatchObject({
      status: 400,
      body: { error: { param: 'default_provider_slug' } },
    });
    expect(await specOf('/integrations/second', 'team-a')).toBeUndefined();
    await make({ slug: 'alone', create_default_provider: false }, 'a');
    const providers = await management.store.list('Provider', 'team-a');
    expect(providers.map(({ spec }) => spec.integrationRef.name)).not.toContain('alone');
  });

  test('has the fields of its provider in the spelling of either reference', async () => {
    const url = await make({
      ai_provider_id: 'azure-openai',
      configurations: {
        azure_auth_mode: 'default',
        azure_resource_name: 'ours',
        azure_deployment_config: [{ azure_deployment_name: 'gpt', alias: 'gpt-4o', azure_api_version: '2024-10-21' }],
      },
    });
    expect(await get(url)).toMatchObject({
      configurations: { resource_name: 'ours', azure_deployment_config: [{ azure_deployment_name: 'gpt' }] },
    });
    expect((await specOf(url))?.settings).toEqual({ resource_name: 'ours' });
    const account = { type: 'service_account', private_key: 'canary' };
    const vertex = await make({
      ai_provider_id: 'vertex-ai',
      key: undefined,
      configurations: { vertex_auth_type: 'serviceAccount', vertex_region: 'x', vertex_service_account_json: account },
    });
    expect(JSON.stringify([await get(vertex), await specOf(vertex)])).not.toContain('canary');
  });

  test('of a guardrail service has its key in a Secret, and goes nowhere else with it', async () => {
    const url = await make({ ai_provider_id: 'lakera', configurations: { baseUrl: 'https://ours.example.com' } });
    expect(await specOf(url)).toMatchObject({
      secretRef: { name: nameOf(url) },
      settings: { baseUrl: expect.any(String) },
    });
    expect(JSON.stringify(await specOf(url))).not.toContain('canary');
    const moved = await put(url, { configurations: { baseUrl: 'https://thief.example.com' } });
    expect([moved.status, moved.body]).toMatchObject([400, { error: { param: 'key' } }]);
  });

  test.for([
    { rule: 'another host', change: { configurations: { custom_host: 'https://thief.example.com' } } },
    { rule: 'another project', change: { configurations: { openai_project: 'theirs' }, key: '********' } },
  ])('needs its credential anew for $rule', async ({ change }) => {
    const url = await make({});
    const answer = await put(url, change);
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param: 'key' } }]);
    expect((await put(url, { ...change, key: 'mine' })).status).toBe(200);
  });

  test.for([
    { rule: 'an unknown provider', body: { ai_provider_id: 'opnai' }, param: 'ai_provider_id' },
    {
      rule: 'a field that its provider does not have',
      body: { configurations: { aws_region: 'x' } },
      param: 'configurations.aws_region',
    },
    { rule: 'no credential', body: { key: null }, param: 'key' },
    {
      rule: 'headers',
      body: { configurations: { custom_headers: { a: 'canary' } } },
      param: 'configurations.custom_headers',
    },
    {
      rule: 'other factors',
      body: { pricing_adjustments: { multiplier: { request_token: 2 } } },
      param: 'pricing_adjustments.multiplier.request_token',
    },
  ])('is refused with $rule', async ({ body, param }) => {
    const answer = await call('organisation', 'POST', '/integrations', {
      name: 'A',
      ai_provider_id: 'openai',
      key: 'canary',
      ...body,
    });
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param } }]);
    expect(JSON.stringify(answer.body)).not.toContain('canary');
  });

  test('takes values from secret references', async () => {
    const place = { kind: 'SecretReference', namespace: 'gatehouse-system', name: 'of-integration' } as const;
    await management.store.create(place, { spec: { manager: 'Kubernetes', path: 'openai' } }, { force: false });
    const mapping = {
      target_field: 'key',
      secret_reference_id: 'of-integration',
      secret_key: 'a',
      value_format: 'string',
    };
    const url = await make({ slug: 'mapped', key: undefined, secret_mappings: [mapping] });
    expect(await get(url)).toMatchObject({ secret_mappings: [mapping] });
    const settings = [{ ...mapping, target_field: 'configurations.openai_organization' }];
    expect((await put(url, { secret_mappings: settings })).status).toBe(400);
    expect((await put(url, { secret_mappings: null, key: 'canary' })).status).toBe(200);
    expect(await get(url)).toMatchObject({ secret_mappings: [], masked_key: '********' });
  });

  test('of the organisation is there for workspaces that have it, by name alone', async () => {
    const url = await make({ slug: 'shared' });
    const listed = async (key: string) =>
      ((await get('/integrations', key))['data'] as { slug: string }[]).map(({ slug }) => slug);
    expect(await listed('a')).not.toContain('shared');
    await put(`${url}/workspaces`, { workspaces: [{ id: 'team-a', enabled: true }] });
    expect(await listed('a')).toContain('shared');
    expect(await listed('b')).not.toContain('shared');
    for (const path of [url, `${url}/models`, `${url}/workspaces`]) {
      expect((await call('a', 'GET', path)).status, path).toBe(404);
    }
    expect((await call('a', 'PUT', `${url}/workspaces`, {})).status).toBe(404);
  });

  test('of another workspace is not there', async () => {
    const url = await make({ create_default_provider: false }, 'a');
    for (const path of [url, `${url}/models`]) expect((await call('b', 'GET', path)).status).toBe(404);
  });
});

describe('the models of an integration', () => {
  test('are merged by their slugs, and custom ones are deleted', async () => {
    const url = await make({});
    const tuned = { slug: 'ft:ours', enabled: true, is_custom: true, is_finetune: 1, base_model_slug: 'gpt-4o' };
    const price = {
      type: 'static',
      pay_as_you_go: { request_token: { price: 0.00025 }, response_token: { price: 0.001 } },
    };
    expect(
      (
        await put(`${url}/models`, {
          models: [
            { ...tuned, pricing_config: price },
            { slug: 'gpt-4o', enabled: true },
          ],
          allow_all_models: false,
        })
      ).status,
    ).toBe(200);
    expect((await specOf(url))?.models?.[0]?.usdPerMillionTokens).toEqual({ request: '2.5', response: '10' });
    await put(`${url}/models`, { models: [{ slug: 'gpt-4o', enabled: false }] });
    expect(await get(`${url}/models`)).toMatchObject({
      total: 2,
      allow_all_models: false,
      models: [
        { slug: 'ft:ours', is_custom: true, is_finetune: true, base_model_slug: 'gpt-4o', pricing_config: price },
        { slug: 'gpt-4o', enabled: false, pricing_config: null },
      ],
    });
    for (const [slugs, status] of [
      ['gpt-4o', 400],
      ['absent', 404],
      ['ft:ours,absent', 404],
      ['ft:ours', 200],
    ]) {
      expect((await call('organisation', 'DELETE', `${url}/models?slugs=${slugs}`)).status, String(slugs)).toBe(status);
    }
    expect(await get(`${url}/models`)).toMatchObject({ total: 1, models: [{ slug: 'gpt-4o' }] });
    const twice = await put(`${url}/models`, {
      models: [
        { slug: 'a', enabled: true },
        { slug: 'a', enabled: false },
      ],
    });
    expect(twice.body).toMatchObject({ error: { param: 'models[1].slug' } });
  });

  test('get no host without the credential that goes there', async () => {
    const url = await make({});
    const at = (custom_host: string | null) => [{ slug: 'm', enabled: true, configurations: { custom_host } }];
    const refused = await put(`${url}/models`, { models: at('https://thief.example.com') });
    expect([refused.status, refused.body]).toMatchObject([400, { error: { param: 'key' } }]);
    expect((await put(`${url}/models`, { models: at('https://models.example.com'), key: 'mine' })).status).toBe(200);
    expect((await specOf(url))?.secretRef?.name).not.toBe(nameOf(url));
    expect((await put(`${url}/models`, { models: at('https://models.example.com') })).status).toBe(200);
    expect((await put(`${url}/models`, { models: at(null) })).status).toBe(200);
  });
});

describe('the workspaces of an integration', () => {
  test('have it, with limits, until it is taken away', async () => {
    const url = await make({});
    const limits = { usage_limits: [{ credit_limit: 5 }], rate_limits: [{ type: 'requests', unit: 'rpm', value: 3 }] };
    const write = (body: object) => put(`${url}/workspaces`, body);
    expect(
      (await write({ workspaces: [{ id: 'team-a', enabled: true, ...limits }], default_provider_slug: 'given' }))
        .status,
    ).toBe(200);
    expect(await management.store.get({ kind: 'Provider', namespace: 'team-a', name: 'given' })).toBeDefined();
    await write({ workspaces: [{ id: 'team-b', enabled: true, create_default_provider: false }] });
    await write({
      workspaces: [{ id: 'team-a', enabled: false }],
      global_workspace_access: { enabled: true, ...limits },
    });
    const shown = { usage_limits: [{ credit_limit: 5, current_usage: 0 }], rate_limits: [{ value: 3 }] };
    expect(await get(`${url}/workspaces`)).toMatchObject({
      total: 2,
      workspaces: [
        { id: 'team-a', enabled: false, ...shown },
        { id: 'team-b', enabled: true, usage_limits: null, rate_limits: null },
      ],
    });
    expect(await get(url)).toMatchObject({
      workspace_count: 1,
      global_workspace_access_settings: { enabled: true, ...shown },
    });
    await write({
      workspaces: [{ id: 'team-b', enabled: true }],
      override_existing_workspace_access: true,
      global_workspace_access: null,
    });
    expect(await get(`${url}/workspaces`)).toMatchObject({ total: 1, workspaces: [{ id: 'team-b' }] });
    expect(await get(url)).toMatchObject({ global_workspace_access_settings: null });
    expect((await call('organisation', 'DELETE', url)).status).toBe(200);
    const left = await management.store.list('IntegrationAccess', 'gatehouse-system');
    expect(left.map(({ spec }) => spec.integrationRef.name)).not.toContain(nameOf(url));
  });

  test.for([
    {
      rule: 'one that there is not',
      workspaces: [{ id: 'team-x', enabled: true }],
      status: 404,
      param: 'workspaces[0].id',
    },
    {
      rule: 'one twice',
      workspaces: [
        { id: 'team-a', enabled: true },
        { id: 'team-a', enabled: true },
      ],
      status: 400,
      param: 'workspaces[1].id',
    },
    {
      rule: 'two budgets',
      workspaces: [{ id: 'team-a', enabled: true, usage_limits: [{ credit_limit: 1 }, { credit_limit: 2 }] }],
      status: 400,
      param: 'usage_limits',
    },
  ])('are refused with $rule, and nothing is written', async ({ workspaces, status, param }) => {
    const url = await make({});
    const answer = await put(`${url}/workspaces`, { workspaces, create_default_provider: false });
    expect([answer.status, answer.body]).toMatchObject([status, { error: { param } }]);
    expect(await get(`${url}/workspaces`)).toMatchObject({ total: 0 });
  });

  test('are none for an integration of a workspace', async () => {
    const url = await make({ create_default_provider: false }, 'a');
    expect((await call('a', 'GET', `${url}/workspaces`)).status).toBe(400);
  });
});
