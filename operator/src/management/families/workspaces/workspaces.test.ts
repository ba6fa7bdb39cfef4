import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestManagement, type TestManagement } from '../../testing.ts';

let management: TestManagement;
beforeAll(async () => {
  management = await createTestManagement([
    'workspaces',
    'organisation_settings',
    'organisation_exclusions',
    'policies',
  ]);
});
afterAll(() => management.close());

const call: TestManagement['call'] = (...args) => management.call(...args);
const PLAIN = { force: false };

const make = async (body: object = {}): Promise<string> => {
  const answer = await call('organisation', 'POST', '/admin/workspaces', { name: 'Team C', ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return String(answer.body['slug']);
};
const get = async (slug: string, key = 'organisation') => (await call(key, 'GET', `/admin/workspaces/${slug}`)).body;
const put = (slug: string, body: object, key = 'organisation') => call(key, 'PUT', `/admin/workspaces/${slug}`, body);
const remove = (slug: string, body: object, key = 'organisation') =>
  call(key, 'DELETE', `/admin/workspaces/${slug}`, body);
const guardrail = (namespace: string, name: string) =>
  management.store.create(
    { kind: 'Guardrail', namespace, name },
    { spec: { checks: [{ id: 'default.notNull' }] } },
    PLAIN,
  );

describe('a workspace', () => {
  test('is made, read, listed, changed and deleted', async () => {
    const slug = await make({ usage_limits: [{ credit_limit: 5 }], defaults: { metadata: { team: 'c' } } });
    expect(slug).toMatch(/^ws-team-c-\d{6}$/);
    const shown = await get(slug);
    expect(shown).toMatchObject({
      object: 'workspace',
      slug,
      name: 'Team C',
      namespace: slug,
      status: 'active',
      is_default: 0,
      defaults: { metadata: { team: 'c' }, input_guardrails: [], output_guardrails: [], user_api_key_config: null },
      usage_limits: [{ credit_limit: 5, current_usage: 0 }],
      rate_limits: [],
    });
    const change = {
      description: 'Why',
      usage_limits: null,
      rate_limits: [{ type: 'requests', unit: 'rpm', value: 3 }],
    };
    expect(await put(String(shown['id']), change)).toEqual({ status: 200, body: {} });
    expect(await get(slug)).toMatchObject({
      description: 'Why',
      usage_limits: [],
      rate_limits: [{ value: 3 }],
      defaults: { metadata: { team: 'c' } },
    });
    expect((await remove(slug, { name: 'another' })).body).toMatchObject({ error: { param: 'name' } });
    expect((await remove(slug, { name: 'Team C' })).status).toBe(200);
    expect((await call('organisation', 'GET', `/admin/workspaces/${slug}`)).status).toBe(404);
  });

  test.for([
    { query: 'name=List', slugs: ['lists', 'listed'] },
    { query: 'name=list', slugs: [] },
    { query: 'exact_name=Lists', slugs: ['lists'] },
    { query: 'name=List&status=archived', slugs: [] },
    { query: 'name=List&status=active,archived', slugs: ['lists', 'listed'] },
    { query: 'name=List&page_size=1&current_page=1', slugs: ['listed'] },
  ])('is found by $query', async ({ query, slugs }) => {
    for (const [slug, name] of [
      ['lists', 'Lists'],
      ['listed', 'Listed'],
    ]) {
      await call('organisation', 'POST', '/admin/workspaces', { name, slug });
    }
    const { body } = await call('organisation', 'GET', `/admin/workspaces?${query}`);
    expect((body['data'] as { slug: string }[]).map(({ slug }) => slug)).toEqual(slugs);
  });

  test('names its defaults by slug or UUID, and they change one by one', async () => {
    await guardrail('team-a', 'own');
    await guardrail('gatehouse-system', 'company');
    const place = { kind: 'GatewayConfig', namespace: 'team-a', name: 'pc-main' } as const;
    await management.store.create(place, { spec: { config: { provider: '@main' } } }, PLAIN);
    const config = await management.store.get(place);
    const defaults = { input_guardrails: ['own', 'company'], user_api_key_config: config?.meta.uid };
    expect((await put('team-a', { defaults })).status).toBe(200);
    await put('team-a', { defaults: { metadata: { a: 'b' } } });
    expect((await get('team-a'))['defaults']).toMatchObject({
      metadata: { a: 'b' },
      input_guardrails: ['own', 'company'],
      user_api_key_config: 'pc-main',
    });
    await put('team-a', { defaults: { input_guardrails: [], user_api_key_config: null } });
    expect((await get('team-a'))['defaults']).toMatchObject({ input_guardrails: [], user_api_key_config: null });
    for (const [given, param] of [
      [{ input_guardrails: ['own', 'gone'] }, 'defaults.input_guardrails[1]'],
      [{ output_guardrails: ['other'] }, 'defaults.output_guardrails[0]'],
      [{ user_api_key_config: 'gone' }, 'defaults.user_api_key_config'],
    ] as const) {
      await guardrail('team-b', 'other');
      expect((await put('team-a', { defaults: given })).body).toMatchObject({ errorCode: 'AB08', error: { param } });
    }
  });

  test('goes with what is in it only where that is wanted', async () => {
    const slug = await make({ slug: 'full' });
    await guardrail('full', 'g');
    const fleet = { kind: 'SidecarProfile', namespace: 'full', name: 's' } as const;
    const refused = await remove(slug, { name: 'Team C' });
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { errorCode: 'AB07', message: expect.stringContaining('Guardrail/full/g') },
    ]);
    await management.store.create(fleet, { spec: {} }, PLAIN);
    const kept = await remove(slug, { name: 'Team C', force_delete: true });
    expect([
      kept.status,
      await management.store.get({ kind: 'Guardrail', namespace: 'full', name: 'g' }),
    ]).toMatchObject([409, {}]);
    await management.store.delete(fleet, PLAIN);
    expect((await remove(slug, { name: 'full', force_delete: true })).status).toBe(200);
    expect(await management.store.list('Guardrail', 'full')).toEqual([]);
  });

  test('that is the default one stays', async () => {
    const slug = await make({ slug: 'first' });
    const place = { kind: 'Organisation', namespace: undefined, name: 'default' } as const;
    await management.store.create(place, { spec: { defaultWorkspaceRef: { name: slug } } }, PLAIN);
    expect(await get(slug)).toMatchObject({ is_default: 1 });
    expect((await remove(slug, { name: 'Team C', force_delete: true })).status).toBe(409);
    await management.store.delete(place, PLAIN);
  });

  test('is seen by its own keys, which do not change its limits', async () => {
    expect((await call('a', 'GET', '/admin/workspaces')).body).toMatchObject({ total: 1, data: [{ slug: 'team-a' }] });
    expect((await call('a', 'GET', '/admin/workspaces/team-b')).status).toBe(404);
    expect((await put('team-a', { description: 'Ours' }, 'a')).status).toBe(200);
    for (const body of [{ usage_limits: null }, { rate_limits: [] }]) {
      expect((await put('team-a', body, 'a')).status, JSON.stringify(body)).toBe(403);
    }
    expect((await remove('team-a', { name: 'team-a' }, 'a')).status).toBe(403);
    expect((await call('a', 'POST', '/admin/workspaces', { name: 'Mine' })).status).toBe(403);
  });

  test('needs a name and a slug that can be a label', async () => {
    for (const [body, param] of [
      [{}, 'name'],
      [{ name: 'A', slug: 'Not_a_name' }, 'slug'],
      [{ name: 'A', icon: 'x' }, 'icon'],
      [{ name: 'A', users: ['ada'] }, 'users'],
    ] as const) {
      expect((await call('organisation', 'POST', '/admin/workspaces', body)).body).toMatchObject({ error: { param } });
    }
  });
});

describe('what holds for all workspaces', () => {
  test('are guardrails of the organisation', async () => {
    await guardrail('gatehouse-system', 'for-all');
    const url = '/admin/organisation/defaults';
    expect((await call('organisation', 'PUT', url, { input_guardrails: ['for-all'] })).status).toBe(200);
    expect((await call('organisation', 'GET', url)).body).toMatchObject({
      input_guardrails: [{ slug: 'for-all' }],
      output_guardrails: [],
    });
    const absent = await call('organisation', 'PUT', url, { output_guardrails: ['gone'] });
    expect([absent.status, absent.body]).toMatchObject([
      404,
      { errorCode: 'AB08', error: { param: 'output_guardrails[0]' } },
    ]);
    await call('organisation', 'PUT', url, { input_guardrails: null });
    expect((await call('organisation', 'GET', url)).body).toMatchObject({ input_guardrails: [] });
  });

  test('does not hold for those that are exempt', async () => {
    const url = '/workspace-exclusions/input-guardrails';
    const write = (workspaces: object[], more = {}) => call('organisation', 'PUT', url, { workspaces, ...more });
    const exempt = async () =>
      ((await call('organisation', 'GET', url)).body['workspaces'] as { slug: string }[]).map(({ slug }) => slug);
    expect((await write([{ workspace_id: 'team-a', excluded: true }])).status).toBe(200);
    await write([{ workspace_id: 'team-b', excluded: true }]);
    expect(await exempt()).toEqual(['team-a', 'team-b']);
    await write([{ workspace_id: 'team-a', excluded: false }]);
    expect(await exempt()).toEqual(['team-b']);
    await write([{ workspace_id: 'team-a', excluded: true }], { override_existing: true });
    expect(await exempt()).toEqual(['team-a']);
    expect(await write([{ workspace_id: 'gone', excluded: true }])).toMatchObject({
      status: 404,
      body: { errorCode: 'AB08', error: { param: 'workspaces[0].workspace_id' } },
    });
    expect((await call('organisation', 'GET', '/workspace-exclusions/both')).status).toBe(404);
  });
});

test('providers are listed with their fields to every key', async () => {
  const { status, body } = await call('reader', 'GET', '/reference/providers');
  expect([status, body]).toMatchObject([200, { object: 'list' }]);
  const bedrock = (body['data'] as { id: string }[]).find(({ id }) => id === 'bedrock');
  expect(bedrock).toMatchObject({
    fields: expect.arrayContaining([
      { name: 'aws_region', secret: false },
      { name: 'aws_secret_access_key', secret: true },
    ]),
  });
});
