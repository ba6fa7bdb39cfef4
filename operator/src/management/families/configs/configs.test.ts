import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestManagement, type TestManagement } from '../../testing.ts';

let management: TestManagement;
beforeAll(async () => {
  management = await createTestManagement(['configs']);
});
afterAll(() => management.close());

const call: TestManagement['call'] = (...args) => management.call(...args);

const FALLBACK = {
  strategy: { mode: 'fallback', on_status_codes: [429] },
  targets: [
    { provider: '@main', override_params: { max_tokens: 5 } },
    { provider: 'openai', api_key: 'canary-0', retry: { attempts: 2 } },
    { provider: 'azure-openai', api_key: 'canary-1', resource_name: 'ours', deployment_id: 'gpt' },
  ],
};

const make = async (config: object | string): Promise<string> => {
  const { status, body } = await call('a', 'POST', '/configs', { name: 'Fallbacks', config });
  expect([status, body]).toMatchObject([200, { success: true, data: { slug: body['slug'], id: body['id'] } }]);
  return String(body['slug']);
};
const get = async (slug: string) => (await call('a', 'GET', `/configs/${slug}`)).body;
const put = (slug: string, body: object) => call('a', 'PUT', `/configs/${slug}`, body);
const specOf = async (name: string) =>
  (await management.store.get({ kind: 'GatewayConfig', namespace: 'team-a', name }))?.spec;

/** The config with masks for its keys. */
const masked = (config: object): object => JSON.parse(JSON.stringify(config).replaceAll(/canary-\d/g, '********'));

describe('a config', () => {
  test('is made, read, listed, changed and deleted', async () => {
    const slug = await make({ provider: '@main' });
    expect(slug).toMatch(/^pc-fallba-\d{6}$/);
    const before = await get(slug);
    expect(before).toMatchObject({ name: 'Fallbacks', status: 'active', is_default: 0, format: 'json' });
    expect(JSON.parse(String(before['config']))).toEqual({ provider: '@main' });
    expect(before['data']).toMatchObject({ slug, config: { provider: '@main' } });
    expect((await call('a', 'GET', '/configs')).body).toMatchObject({ success: true, total: 1, data: [{ slug }] });

    expect((await put(slug, { name: 'Other' })).body).toMatchObject({ success: true, slug });
    const renamed = await get(slug);
    expect(renamed).toMatchObject({ name: 'Other', config: before['config'] });
    expect(renamed['version_id']).not.toBe(before['version_id']);
    expect(before['last_updated_at']).toBe(before['created_at']);
    expect(Date.parse(String(renamed['last_updated_at']))).toBeGreaterThan(Date.parse(String(before['created_at'])));
    await put(slug, { config: { provider: '@other' } });
    expect(await get(slug)).toMatchObject({ name: 'Other', data: { config: { provider: '@other' } } });

    expect((await call('a', 'DELETE', `/configs/${String(before['id'])}`)).status).toBe(200);
    expect((await call('a', 'GET', `/configs/${slug}`)).status).toBe(404);
  });

  test('comes back as it was written, but for its keys', async () => {
    const slug = await make(FALLBACK);
    expect((await get(slug))['data']).toMatchObject({ config: masked(FALLBACK) });
    const stored = await specOf(slug);
    expect(JSON.stringify([stored, await get(slug)])).not.toContain('canary');
    expect(stored?.config.targets).toMatchObject([
      { provider: '@main', overrideParams: { max_tokens: 5 } },
      { secretRef: { name: slug, key: 'targets.1.api_key' } },
      { secretRef: { name: slug, key: 'targets.2.api_key' }, settings: { resource_name: 'ours' } },
    ]);
  });

  test('is also written as the text that reading gives, and its masks keep the keys', async () => {
    const slug = await make(FALLBACK);
    const before = await specOf(slug);
    const { config } = await get(slug);
    expect((await put(slug, { config })).status).toBe(200);
    expect(await specOf(slug)).toEqual(before);
  });

  test.for([
    { rule: 'another host', at: 1, target: { provider: 'openai', custom_host: 'https://thief.example.com/v1' } },
    { rule: 'another provider', at: 1, target: { provider: 'anthropic' } },
    { rule: 'another account', at: 2, target: { provider: 'azure-openai', resource_name: 'x', deployment_id: 'gpt' } },
  ])('does not give a key that is masked to $rule', async ({ at, target }) => {
    const slug = await make(FALLBACK);
    const targets: object[] = [...FALLBACK.targets];
    targets[at] = { ...target, api_key: '********' };
    const answer = await put(slug, { config: { ...FALLBACK, targets } });
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param: `config.targets[${at}].api_key` } }]);
  });

  test('does not give a key that is masked to a host that its target inherits', async () => {
    const { strategy, targets } = FALLBACK;
    const slug = await make(FALLBACK);
    const inherited = { strategy, custom_host: 'https://thief.example.com/v1', targets };
    const answer = await put(slug, { config: masked(inherited) });
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param: 'config.targets[1].api_key' } }]);

    const hosted = await make(inherited);
    expect((await put(hosted, { config: masked({ strategy, targets }) })).status).toBe(400);
    const beside = targets.map((target) => ({ ...target, custom_host: inherited.custom_host }));
    expect((await put(hosted, { config: masked({ strategy, targets: beside }) })).status).toBe(200);
  });

  test('has new keys in another Secret than those before', async () => {
    const slug = await make(FALLBACK);
    const targets: object[] = [...(masked(FALLBACK) as typeof FALLBACK).targets];
    targets[1] = { provider: 'anthropic', api_key: 'canary-3' };
    expect((await put(slug, { config: { ...FALLBACK, targets } })).status).toBe(200);
    expect((await specOf(slug))?.config.targets).toMatchObject([
      {},
      { secretRef: { name: expect.stringMatching(`^${slug}-\\d{6}$`), key: 'targets.1.api_key' } },
      { secretRef: { name: slug, key: 'targets.2.api_key' } },
    ]);
  });

  test('of another workspace is not there', async () => {
    const slug = await make({ provider: '@main' });
    for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
      expect((await call('b', method, `/configs/${slug}`, body)).status, method).toBe(404);
    }
  });

  test('that the workspace has as its default says so', async () => {
    const slug = await make({ provider: '@main' });
    const place = { kind: 'Workspace', namespace: undefined, name: 'team-a' } as const;
    const change = { spec: { namespace: 'team-a', defaults: { configRef: { name: slug } } } };
    await management.store.update(place, () => change, { force: false });
    expect(await get(slug)).toMatchObject({ is_default: 1 });
  });

  test.for([
    { rule: 'text that is no JSON', config: 'provider: x', param: 'config' },
    { rule: 'a wrong mode', config: { strategy: { mode: 'falback' }, targets: [{}] }, param: 'config.strategy.mode' },
    {
      rule: 'a target without provider',
      config: { strategy: { mode: 'fallback' }, targets: [{ provider: '@a' }, { retry: { attempts: 1 } }] },
      param: 'config.targets[1]',
    },
    { rule: 'a mask in a new config', config: { provider: 'openai', api_key: '********' }, param: 'config.api_key' },
    {
      rule: 'a credential among the fields of its provider',
      config: { provider: 'bedrock', aws_access_key_id: 'canary', aws_secret_access_key: 'canary' },
      param: 'config.settings.aws_access_key_id',
    },
  ])('is refused with $rule', async ({ config, param }) => {
    const { status, body } = await call('a', 'POST', '/configs', { name: 'C', config });
    expect([status, body]).toMatchObject([400, { error: { param } }]);
    expect(JSON.stringify(body)).not.toContain('canary');
  });
});
