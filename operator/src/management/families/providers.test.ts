import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestManagement, type TestManagement } from '../testing.ts';

let management: TestManagement;
beforeEach(async () => {
  management = await createTestManagement(['providers']);
  await create('Integration', 'team-a', 'own');
  await create('Integration', 'gatehouse-system', 'shared');
});
afterEach(() => management.close());

const call: TestManagement['call'] = (...args) => management.call(...args);

async function create(kind: 'Integration' | 'IntegrationAccess', namespace: string, name: string, spec: object = {}) {
  const basis = kind === 'Integration' ? { provider: 'openai', customHost: 'https://models.example.com/v1' } : {};
  const made = await management.store.create(
    { kind, namespace, name },
    { spec: { ...basis, ...spec } },
    { force: false },
  );
  expect(made.ok).toBe(true);
}
const grant = (name: string, spec: object) =>
  create('IntegrationAccess', 'gatehouse-system', name, { integrationRef: { name: 'shared' }, ...spec });
const post = (body: object) => call('a', 'POST', '/providers', { name: 'Ours', integration_id: 'own', ...body });

describe('a provider', () => {
  test('is made, read, listed, changed and deleted', async () => {
    const { body: made } = await post({ slug: 'ours', note: 'Why', usage_limits: { credit_limit: 5 } });
    expect(made).toEqual({ id: expect.any(String), slug: 'ours' });
    const shown = {
      object: 'provider',
      slug: 'ours',
      name: 'Ours',
      note: 'Why',
      integration_id: 'own',
      ai_provider_name: 'openai',
      status: 'active',
      usage_limits: { credit_limit: 5 },
    };
    expect((await call('a', 'GET', '/providers/ours')).body).toMatchObject(shown);
    expect((await call('a', 'GET', '/providers')).body).toMatchObject({ total: 1, data: [shown] });
    const change = { name: 'Theirs', note: null, rate_limits: { type: 'tokens', unit: 'rpm', value: 100 } };
    expect((await call('a', 'PUT', '/providers/ours', change)).body).toEqual(made);
    expect((await call('a', 'GET', `/providers/${String(made['id'])}`)).body).toMatchObject({
      ...shown,
      ...change,
      rate_limits: [change.rate_limits],
    });
    expect((await call('a', 'DELETE', '/providers/ours')).status).toBe(200);
    expect((await call('a', 'GET', '/providers/ours')).status).toBe(404);
  });

  test('has a slug of its own where none is given, and one slug is given once', async () => {
    expect((await post({})).body['slug']).toMatch(/^ours-\d{6}$/);
    await post({ slug: 'ours' });
    expect(await post({ slug: 'ours' })).toMatchObject({ status: 409, body: { errorCode: 'AB07' } });
  });

  test('of another workspace is not there', async () => {
    await post({ slug: 'ours' });
    for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
      expect((await call('b', method, '/providers/ours', body)).status, method).toBe(404);
    }
  });
});

describe('an integration of the organisation', () => {
  const refused = { status: 404, body: { errorCode: 'AB08', error: { param: 'integration_id' } } };

  test('has providers in a workspace that it is granted to', async () => {
    expect(await post({ integration_id: 'shared' })).toMatchObject(refused);
    await grant('b', { workspaceRef: { name: 'team-b' } });
    expect(await post({ integration_id: 'shared' })).toMatchObject(refused);
    await grant('all', { allWorkspaces: true });
    expect((await post({ integration_id: 'shared' })).status).toBe(200);
    await grant('a', { workspaceRef: { name: 'team-a' }, enabled: false });
    expect(await post({ integration_id: 'shared' })).toMatchObject(refused);
  });

  test('goes after one of the workspace with the same name', async () => {
    await grant('all', { allWorkspaces: true });
    await create('Integration', 'team-a', 'shared', { provider: 'anthropic' });
    const { body } = await post({ integration_id: 'shared' });
    expect((await call('a', 'GET', `/providers/${String(body['slug'])}`)).body).toMatchObject({
      ai_provider_name: 'anthropic',
    });
  });

  test('of another workspace has none', async () => {
    await create('Integration', 'team-b', 'theirs');
    expect(await post({ integration_id: 'theirs' })).toMatchObject(refused);
  });
});
