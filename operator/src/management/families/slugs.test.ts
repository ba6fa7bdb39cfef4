/** Slugs that callers choose, in every family whose objects they may name. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestManagement, type TestManagement } from '../testing.ts';

let management: TestManagement;
beforeEach(async () => {
  management = await createTestManagement([
    'configs',
    'guardrails',
    'policies',
    'prompts',
    'virtual_keys',
    'workspace_service_api_keys',
  ]);
});
afterEach(() => management.close());

const selection = { conditions: [{ key: 'model', value: '*' }], group_by: [{ key: 'api_key' }] };
const FAMILIES = [
  { create: '/configs', path: '/configs', body: { config: { provider: '@main' } } },
  {
    create: '/guardrails',
    path: '/guardrails',
    body: { checks: [{ id: 'default.contains', parameters: { words: ['a'] } }] },
  },
  { create: '/collections', path: '/collections', body: {} },
  { create: '/prompts', path: '/prompts', body: { string: 'Hello' } },
  { create: '/prompts/partials', path: '/prompts/partials', body: { string: 'Hello' } },
  { create: '/virtual-keys', path: '/virtual-keys', body: { provider: 'openai', key: 'canary' } },
  { create: '/api-keys/workspace/service', path: '/api-keys', body: { scopes: ['configs.list'] } },
  {
    create: '/policies/rate-limits',
    path: '/policies/rate-limits',
    body: { ...selection, type: 'requests', unit: 'rpm', value: 1 },
  },
  {
    create: '/policies/usage-limits',
    path: '/policies/usage-limits',
    body: { ...selection, type: 'cost', credit_limit: 1 },
  },
];

describe.for(FAMILIES)('POST $create', ({ create, path, body }) => {
  const make = (slug: string, workspace = 'team-a') =>
    management.call('organisation', 'POST', create, { ...body, name: 'Ours', slug, workspace_id: workspace });

  test('takes a slug, once', async () => {
    expect((await make('ours')).status).toBe(200);
    expect((await management.call('a', 'GET', `${path}/ours`)).body).toMatchObject({ slug: 'ours', name: 'Ours' });
    expect(await make('ours')).toMatchObject({ status: 409, body: { error: { param: 'slug' } } });
  });

  test('refuses a slug that no resource can have', async () => {
    for (const slug of ['Not A Name', '../up', '']) {
      expect(await make(slug), slug).toMatchObject({ status: 400, body: { error: { param: 'slug' } } });
    }
  });

  test('makes one that the query of a path finds in its workspace', async () => {
    await make('ours');
    const { body: second } = await make('ours', 'team-b');
    const found = async (workspace: string) =>
      (await management.call('organisation', 'GET', `${path}/ours?workspace_id=${workspace}`)).body['id'];
    const { id, data } = second as { id?: string; data?: { id?: string } };
    expect(await found('team-b')).toBe(id ?? data?.id);
    expect(await found('team-a')).not.toBe(id ?? data?.id);
    expect((await management.call('a', 'GET', `${path}/ours?workspace_id=team-b`)).status).toBe(404);
  });
});
