import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestManagement, type TestManagement } from '../testing.ts';

let management: TestManagement;
beforeAll(async () => {
  management = await createTestManagement(['virtual_keys']);
});
afterAll(() => management.close());

const call: TestManagement['call'] = (...args) => management.call(...args);

const make = async (body: object): Promise<string> => {
  const answer = await call('a', 'POST', '/virtual-keys', {
    name: 'My first key of all',
    provider: 'openai',
    key: 'canary',
    ...body,
  });
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { success: true } });
  return String((answer.body['data'] as { slug: string }).slug);
};
const get = async (slug: string) => (await call('a', 'GET', `/virtual-keys/${slug}`)).body;
const put = (slug: string, body: object) => call('a', 'PUT', `/virtual-keys/${slug}`, body);
const specOf = async (name: string) =>
  (await management.store.get({ kind: 'VirtualKey', namespace: 'team-a', name }))?.spec;

describe('a virtual key', () => {
  test('is made, read, listed, changed and deleted', async () => {
    const limits = { credit_limit: 50.5, alert_threshold: 40, periodic_reset: 'monthly' };
    const rate = { type: 'requests', unit: 'rpm', value: 10 };
    const slug = await make({ note: 'Why', usage_limits: limits, rate_limits: rate });
    expect(slug).toMatch(/^my-first-key-of-\d{6}$/);
    expect(await get(slug)).toMatchObject({
      object: 'virtual-key',
      slug,
      name: 'My first key of all',
      note: 'Why',
      status: 'active',
      ai_provider_name: 'openai',
      masked_api_key: '********',
      usage_limits: { ...limits, type: 'cost', current_usage: 0, status: 'active' },
      rate_limits: [rate],
      secret_mappings: [],
    });
    expect((await call('a', 'GET', '/virtual-keys')).body).toMatchObject({ total: 1, data: [{ slug }] });

    const change = {
      note: null,
      usage_limits: { credit_limit: 60 },
      rate_limits: [],
      expires_at: '2026-01-01T00:00:00Z',
    };
    expect(await put(slug, change)).toEqual({ status: 200, body: {} });
    const changed = await get(slug);
    expect(changed).toMatchObject({ note: null, status: 'expired', rate_limits: [], name: 'My first key of all' });
    expect(changed['usage_limits']).toMatchObject({ ...limits, credit_limit: 60 });
    await put(slug, { usage_limits: null });
    expect(await get(slug)).toMatchObject({ usage_limits: null });

    expect((await call('a', 'DELETE', `/virtual-keys/${String(changed['id'])}`)).status).toBe(200);
    expect((await call('a', 'GET', `/virtual-keys/${slug}`)).status).toBe(404);
  });

  test('has what its provider has, in either spelling', async () => {
    const slug = await make({
      provider: 'azure-openai',
      resourceName: 'ours',
      api_version: '2024-10-21',
      deploymentConfig: [{ deploymentName: 'gpt', alias: 'gpt-4o', is_default: true }],
    });
    expect(await get(slug)).toMatchObject({
      model_config: {
        resourceName: 'ours',
        apiVersion: '2024-10-21',
        deploymentConfig: [{ deploymentName: 'gpt', alias: 'gpt-4o', is_default: true }],
      },
    });
    await put(slug, { apiVersion: null });
    expect((await get(slug))['model_config']).not.toHaveProperty('apiVersion');
  });

  test.for([
    { given: 'open-ai', provider: 'openai' },
    { given: 'hugging-face', provider: 'huggingface' },
  ])('of $given is of $provider', async ({ given, provider }) => {
    expect(await get(await make({ provider: given }))).toMatchObject({ ai_provider_name: provider });
  });

  test('takes values from secret references, which are sent along when the account moves', async () => {
    const place = { kind: 'SecretReference', namespace: 'gatehouse-system', name: 'shared' } as const;
    const shared = { spec: { manager: 'Kubernetes', path: 'openai', allowAllWorkspaces: true } };
    const made = await management.store.create(place, shared, { force: false });
    const id = made.ok ? made.value.meta.uid : '';
    const mapping = {
      target_field: 'key',
      secret_reference_id: 'shared',
      secret_key: 'api-key',
      value_format: 'string',
    };
    const slug = await make({ key: undefined, secret_mappings: [{ ...mapping, secret_reference_id: id }] });
    expect(await get(slug)).toMatchObject({ secret_mappings: [mapping], masked_api_key: null });
    expect(await specOf(slug)).toMatchObject({
      secretMappings: [{ field: 'api_key', secretReferenceRef: { name: 'shared' }, key: 'api-key' }],
    });
    expect((await put(slug, { note: 'x' })).status).toBe(200);
    expect(await get(slug)).toMatchObject({ secret_mappings: [mapping], note: 'x' });
    const elsewhere = { custom_host: 'https://attacker.example/v1' };
    expect(await put(slug, elsewhere)).toMatchObject({ status: 400, body: { error: { param: 'secret_mappings' } } });
    expect((await put(slug, { ...elsewhere, secret_mappings: [mapping] })).status).toBe(200);
    expect((await put(slug, { secret_mappings: [], key: 'canary' })).status).toBe(200);
    expect(await get(slug)).toMatchObject({ secret_mappings: [], masked_api_key: '********' });
    const aws = [
      { target_field: 'model_config.awsAccessKeyId', secret_reference_id: 'shared' },
      { target_field: 'configurations.aws_secret_access_key', secret_reference_id: 'shared' },
    ];
    const other = await make({ provider: 'bedrock', awsRegion: 'eu-central-1', key: undefined, secret_mappings: aws });
    expect((await get(other))['secret_mappings']).toMatchObject([
      { target_field: 'model_config.awsAccessKeyId', secret_key: null },
      { target_field: 'model_config.awsSecretAccessKey', value_format: 'string' },
    ]);
  });

  test('of another workspace is not there', async () => {
    const slug = await make({});
    for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
      expect((await call('b', method, `/virtual-keys/${slug}`, body)).status, method).toBe(404);
    }
  });

  test.for([
    { rule: 'an unknown provider', body: { provider: 'opnai' }, param: 'provider' },
    { rule: 'a field that its provider does not have', body: { awsRegion: 'x' }, param: 'awsRegion' },
    { rule: 'a field that is no text', body: { customers: [] }, param: 'customers' },
    { rule: 'no credential', body: { key: null }, param: 'key' },
    { rule: 'a field that is missing', body: { provider: 'azure-openai' }, param: 'provider' },
    {
      rule: 'two ways to reset',
      body: { usage_limits: { credit_limit: 5, periodic_reset: 'weekly', periodic_reset_days: 3 } },
      param: 'usage_limits[0].periodic_reset_days',
    },
    {
      rule: 'a mapping to nothing',
      body: { secret_mappings: [{ target_field: 'key', secret_reference_id: 'nothing' }] },
      param: 'secret_mappings[0].secret_reference_id',
    },
    {
      rule: 'a mapping of what is no field',
      body: { secret_mappings: [{ target_field: 'note', secret_reference_id: 'nothing' }] },
      param: 'secret_mappings[0].target_field',
    },
  ])('is refused with $rule', async ({ body, param }) => {
    const answer = await call('a', 'POST', '/virtual-keys', { name: 'K', provider: 'openai', key: 'canary', ...body });
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param } }]);
    expect(JSON.stringify(answer.body)).not.toContain('canary');
  });
});

describe('the credential of a virtual key', () => {
  test('is in its Secret, and neither in the resource nor in an answer', async () => {
    const slug = await make({});
    expect(await specOf(slug)).toMatchObject({ secretRef: { name: slug, key: 'api_key' } });
    expect(JSON.stringify([await specOf(slug), await get(slug)])).not.toContain('canary');
  });

  test('of several fields is the Secret as a whole', async () => {
    const slug = await make({
      provider: 'bedrock',
      key: undefined,
      awsAccessKeyId: 'canary',
      awsSecretAccessKey: 'canary',
      awsRegion: 'eu-central-1',
    });
    expect(await specOf(slug)).toMatchObject({ secretRef: { name: slug }, settings: { aws_region: 'eu-central-1' } });
    expect(JSON.stringify([await specOf(slug), await get(slug)])).not.toContain('canary');
  });

  test('stays with a mask, and goes with null', async () => {
    const slug = await make({ customHost: 'https://models.example.com/v1' });
    await put(slug, { key: '********' });
    expect(await get(slug)).toMatchObject({
      masked_api_key: '********',
      model_config: { customHost: expect.any(String) },
    });
    await put(slug, { key: null });
    expect(await get(slug)).toMatchObject({ masked_api_key: null });
  });
});

describe('the credential of a virtual key that is to go elsewhere', () => {
  const AWS = { provider: 'bedrock', key: undefined, awsAccessKeyId: 'canary', awsSecretAccessKey: 'canary' };
  const REGION = { awsRegion: 'eu-central-1' };

  test.for([
    { rule: 'another host', body: {}, change: { customHost: 'https://thief.example.com/v1' } },
    { rule: 'another host, and its mask', body: {}, change: { custom_host: 'https://t.example.com', key: '********' } },
    { rule: 'another provider', body: {}, change: { provider: 'groq' } },
    { rule: 'the usual host', body: { customHost: 'https://models.example.com/v1' }, change: { customHost: null } },
    { rule: 'another region', body: { ...AWS, ...REGION }, change: { awsRegion: 'us-east-1' } },
    { rule: 'another role', body: AWS, change: { awsRoleArn: 'arn:aws:iam::1:role/x', key: '********' } },
    { rule: 'a host with a part of it', body: AWS, change: { customHost: 'https://t.example.com', key: '********' } },
  ])('is needed anew for $rule', async ({ body, change }) => {
    const slug = await make(body);
    const before = await specOf(slug);
    const answer = await put(slug, change);
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param: 'key' } }]);
    expect(await specOf(slug)).toEqual(before);
  });

  test('is in another Secret than the one before, which may still be in force', async () => {
    const slug = await make({});
    expect(await put(slug, { customHost: 'https://models.example.com/v1', key: 'canary-2' })).toMatchObject({
      status: 200,
    });
    const ref = (await specOf(slug))?.secretRef;
    expect(ref).toEqual({ name: expect.stringMatching(`^${slug}-\\d{6}$`), key: 'api_key' });
    await put(slug, { key: 'canary-3', customHost: 'https://models.example.com/v1' });
    expect((await specOf(slug))?.secretRef).toEqual(ref);
  });

  test('may be none, for a model server that needs none', async () => {
    const slug = await make(AWS);
    await put(slug, { provider: 'openai', key: null, customHost: 'https://models.example.com/v1' });
    expect(await specOf(slug)).toMatchObject({ provider: 'openai' });
    expect(await specOf(slug)).not.toHaveProperty('secretRef');
  });

  test('may be in headers, which the API does not know', async () => {
    const name = 'by-kubectl';
    const spec = { provider: 'ollama', customHost: 'https://models.example.com', headers: { 'x-token': 'canary' } };
    await management.store.create({ kind: 'VirtualKey', namespace: 'team-a', name }, { spec }, { force: false });
    const answer = await put(name, { customHost: 'https://thief.example.com', key: 'mine' });
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param: 'customHost' } }]);
    expect((await put(name, { note: 'Ours' })).status).toBe(200);
  });
});
