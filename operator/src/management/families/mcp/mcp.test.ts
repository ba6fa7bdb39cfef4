import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestManagement, type TestManagement } from '../../testing.ts';

const RESOURCES = ['organisation_mcp_integrations', 'workspace_mcp_integrations', 'mcp_servers'];
const asked: object[] = [];

let management: TestManagement;
beforeAll(async () => {
  management = await createTestManagement(RESOURCES, {
    mcpTest: async (server) => {
      asked.push(server);
      return { success: true, status: 200, milliseconds: 7, serverName: 'Tickets' };
    },
  });
});
afterAll(() => management.close());

const call: TestManagement['call'] = (...args) => management.call(...args);
const BODY = { name: 'Tickets', url: 'https://mcp.example.com/mcp', auth_type: 'headers', transport: 'http' };

async function make(path: string, body: object, key = 'organisation'): Promise<string> {
  const answer = await call(key, 'POST', path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return `${path}/${String(answer.body['slug'])}`;
}
const integration = (body: object, key?: string) => make('/mcp-integrations', { ...BODY, ...body }, key);
const get = async (url: string, key = 'organisation') => (await call(key, 'GET', url)).body;
const put = (url: string, body: object, key = 'organisation') => call(key, 'PUT', url, body);
const specOf = async (name: string, namespace = 'gatehouse-system') =>
  (await management.store.get({ kind: 'McpIntegration', namespace, name }))?.spec;
const errorOf = (body: Record<string, unknown>) => body['error'] as { message: string; param?: string };

describe('an MCP integration', () => {
  test('of the organisation is made, read, listed, changed and deleted', async () => {
    const url = await integration({
      slug: 'crud',
      description: 'Why',
      configurations: { custom_headers: { Authorization: 'canary' }, forward_headers: ['x-team'] },
    });
    const record = await get(url);
    expect(record).toMatchObject({
      slug: 'crud',
      name: 'Tickets',
      description: 'Why',
      type: 'organisation',
      workspace_id: null,
      url: BODY.url,
      auth_type: 'headers',
      transport: 'http',
      configurations: {
        custom_headers: { Authorization: '********' },
        forward_headers: { mode: 'allowlist', headers: ['x-team'] },
      },
      global_workspace_access: null,
    });
    expect(JSON.stringify([record, await specOf('crud')])).not.toContain('canary');
    expect((await put(url, { name: 'Theirs', description: null })).status).toBe(200);
    expect(await get(`${url.replace('crud', String(record['id']))}`)).toMatchObject({
      name: 'Theirs',
      description: null,
    });
    expect(await get('/mcp-integrations?type=organisation&search=their')).toMatchObject({ total: 1, has_more: false });
    expect(await get('/mcp-integrations?type=workspace')).toMatchObject({ total: 0 });
    expect((await call('organisation', 'DELETE', url)).status).toBe(200);
    expect((await call('organisation', 'GET', url)).status).toBe(404);
  });

  test('keeps values behind masks, takes one away, and adds one', async () => {
    const url = await integration({ slug: 'masks', configurations: { headers: { A: '1', B: '2' } } });
    const before = (await specOf('masks'))?.headersFrom;
    expect((await put(url, { configurations: { headers: { A: '********', C: '3', B: null } } })).status).toBe(200);
    const after = (await specOf('masks'))?.headersFrom;
    expect(after?.map(({ name }) => name)).toEqual(['A', 'C']);
    expect(after?.[0]).toEqual(before?.[0]);
    const refused = await put(url, { configurations: { headers: { D: '********' } } });
    expect(refused.status).toBe(400);
    expect(errorOf(refused.body).message).toContain('configurations.headers.D');
  });

  test('never sends values to another address than the one they were given for', async () => {
    const url = await integration({ slug: 'moved', configurations: { headers: { A: 'canary' } } });
    for (const body of [{}, { configurations: { headers: { A: '********' } } }]) {
      const refused = await put(url, { url: 'https://evil.example.com', ...body });
      expect(refused.status).toBe(400);
      expect(errorOf(refused.body).message).toContain('another address');
    }
    const before = (await specOf('moved'))?.headersFrom?.[0]?.secretRef.name;
    const moved = await put(url, { url: 'https://new.example.com', configurations: { headers: { A: 'new' } } });
    expect(moved.status).toBe(200);
    expect((await specOf('moved'))?.headersFrom?.[0]?.secretRef.name).not.toBe(before);
  });

  test.each([
    [{ url: 'ftp://mcp.example.com' }, 'url'],
    [{ auth_type: 'oauth_client_credentials' }, 'auth_type'],
    [{ transport: 'interactive' }, 'transport'],
    [{ auth_type: 'none', configurations: { headers: { A: '1' } } }, 'auth_type'],
    [{ configurations: { headers: { 'a b': '1' } } }, 'configurations.headers'],
    [{ configurations: { headers: { A: '1', a: '2' } } }, 'configurations.headers.a'],
    [{ configurations: { jwt_validation: {} } }, 'configurations'],
    [{ secret_mappings: [{ target_field: 'key' }] }, 'secret_mappings'],
  ])('is refused with the field: %j', async (body, field) => {
    const answer = await call('organisation', 'POST', '/mcp-integrations', { ...BODY, ...body });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(field);
  });

  test('is granted to workspaces, which see and use it', async () => {
    const url = await integration({ slug: 'granted' });
    expect(await get('/mcp-integrations', 'a')).toMatchObject({ total: 0 });
    expect((await put(`${url}/workspaces`, { workspaces: [{ id: 'team-a', enabled: true }] })).status).toBe(200);
    expect(await get('/mcp-integrations', 'a')).toMatchObject({ data: [{ slug: 'granted' }] });
    expect(await get(`${url}/workspaces`)).toMatchObject({ workspaces: [{ id: 'team-a', enabled: true }] });
    expect(await get(`${url}/workspaces?version=2`)).toMatchObject({ data: [{ id: 'team-a' }], total: 1 });
    const all = {
      workspaces: [],
      global_workspace_access: { enabled: true },
      override_existing_workspace_access: true,
    };
    expect((await put(`${url}/workspaces`, all)).status).toBe(200);
    expect(await get(url)).toMatchObject({ global_workspace_access: { enabled: true }, workspaces_count: 0 });
    expect(await get('/mcp-integrations', 'b')).toMatchObject({ data: [{ slug: 'granted' }] });
    const unknown = await put(`${url}/workspaces`, { workspaces: [{ id: 'nowhere', enabled: true }] });
    expect([unknown.status, errorOf(unknown.body).param]).toEqual([404, 'workspaces[0].id']);
    expect(unknown.body['errorCode']).toBe('AB08');
    const twice = [
      { id: 'team-a', enabled: true },
      { id: 'team-a', enabled: false },
    ];
    expect((await put(`${url}/workspaces`, { workspaces: twice })).status).toBe(400);
    expect((await put(`${url}/workspaces`, { workspaces: [] }, 'reader')).status).toBe(403);
  });

  test('of a workspace does not exist for others, and is granted to none', async () => {
    const url = await integration({ slug: 'own' }, 'a');
    expect((await call('b', 'GET', url)).status).toBe(404);
    expect((await put(`${url}/workspaces`, { workspaces: [{ id: 'team-b', enabled: true }] })).status).toBe(400);
  });

  test('has switches of capabilities, in pages that count from one', async () => {
    const url = await integration({ slug: 'switches' });
    const capabilities = [
      { type: 'tool', name: 'delete', enabled: false },
      { type: 'tool', name: 'read', enabled: true },
      { type: 'prompt', name: 'delete', enabled: true },
    ];
    expect((await put(`${url}/capabilities`, { capabilities })).body).toEqual({ success: true });
    expect(await get(`${url}/capabilities?page=2&page_size=2`)).toMatchObject({
      data: [{ type: 'prompt', name: 'delete', enabled: true }],
      total: 3,
      has_more: false,
      counts: { tools: { total: 2, enabled: 1 }, prompts: { total: 1, enabled: 1 } },
    });
    expect(await get(`${url}/capabilities?type=tool&page_size=1`)).toMatchObject({ total: 2, has_more: true });
    const template = [{ type: 'resource_template', name: 'x', enabled: true }];
    expect((await put(`${url}/capabilities`, { capabilities: template })).status).toBe(400);
    expect(await get(`${url}/metadata`)).toMatchObject({ sync_status: 'pending', server_name: null });
  });
});

describe('an MCP server', () => {
  test('is made of an integration of the workspace or one that is granted, read, listed, changed and deleted', async () => {
    const shared = await integration({ slug: 'shared' });
    const id = String((await get(shared))['id']);
    const body = { name: 'Ours', description: 'Why', slug: 'ours' };
    for (const mcp_integration_id of [id, 'shared', 'nowhere']) {
      const refused = await call('a', 'POST', '/mcp-servers', { ...body, mcp_integration_id });
      expect([refused.status, errorOf(refused.body).param]).toEqual([404, 'mcp_integration_id']);
      expect(refused.body['errorCode']).toBe('AB08');
    }
    await put(`${shared}/workspaces`, { workspaces: [{ id: 'team-a', enabled: true }] });
    const url = await make('/mcp-servers', { ...body, mcp_integration_id: id }, 'a');
    expect(await get(url, 'a')).toMatchObject({
      slug: 'ours',
      name: 'Ours',
      description: 'Why',
      mcp_integration_id: id,
      mcp_integration_details: { slug: 'shared', url: BODY.url, transport: 'http', auth_type: 'headers' },
    });
    expect(await get('/mcp-servers?id=ours,other', 'a')).toMatchObject({
      total: 1,
      data: [{ mcp_integration_slug: 'shared' }],
    });
    expect(await get('/mcp-servers')).toMatchObject({ total: 1 });
    expect(await get('/mcp-servers', 'b')).toMatchObject({ total: 0 });
    expect((await call('b', 'GET', url)).status).toBe(404);
    expect((await put(url, { name: 'Theirs', description: null }, 'a')).status).toBe(200);
    expect(await get(url, 'a')).toMatchObject({ name: 'Theirs', description: null });
    await put(`${shared}/workspaces`, { workspaces: [{ id: 'team-a', enabled: false }] });
    expect(await get(url, 'a')).toMatchObject({ mcp_integration_id: '', mcp_integration_details: null });
    expect((await call('a', 'DELETE', url)).status).toBe(200);
    expect((await call('a', 'GET', url)).status).toBe(404);
  });

  test('shows what its integration hides, and hides more', async () => {
    const of = await integration({ slug: 'hides' }, 'a');
    const url = await make('/mcp-servers', { name: 'Hides', slug: 'hides', mcp_integration_id: 'hides' }, 'a');
    const hide = (name: string, enabled = false) => ({ capabilities: [{ type: 'tool', name, enabled }] });
    await put(`${of}/capabilities`, hide('delete'), 'a');
    await put(`${url}/capabilities`, hide('write'), 'a');
    await put(`${url}/capabilities`, hide('delete', true), 'a');
    expect(await get(`${url}/capabilities`, 'a')).toMatchObject({
      data: [
        { name: 'delete', enabled: false, integration_enabled: false },
        { name: 'write', enabled: false, integration_enabled: true },
      ],
      counts: { tools: { total: 2, enabled: 0 } },
    });
    expect(await get(`${url}/metadata`, 'a')).toMatchObject({ sync_status: 'pending' });
  });

  test('says who may use it: people of the workspace, and those with access of their own', async () => {
    await integration({ slug: 'people' }, 'a');
    const url = await make('/mcp-servers', { name: 'People', slug: 'people', mcp_integration_id: 'people' }, 'a');
    const member = { kind: 'WorkspaceMember', namespace: 'team-a', name: 'ada' } as const;
    await management.store.create(member, { spec: { user: 'ada@example.com', role: 'member' } }, { force: false });
    expect(await get(`${url}/user-access`, 'a')).toMatchObject({
      default_user_access: 'allow',
      data: [{ user_id: 'ada@example.com', enabled: true, has_override: false, connection_status: 'not_connected' }],
    });
    const change = { default_user_access: 'deny', user_access: [{ user_id: 'bob@example.com', enabled: true }] };
    expect((await put(`${url}/user-access`, change, 'a')).body).toEqual({ success: true });
    expect(await get(`${url}/user-access`, 'a')).toMatchObject({
      default_user_access: 'deny',
      data: [
        { user_id: 'ada@example.com', enabled: false, has_override: false },
        { user_id: 'bob@example.com', enabled: true, has_override: true },
      ],
    });
    expect(await get(`${url}/user-access?search=bob`, 'a')).toMatchObject({ total: 1 });
  });
});

describe('a test', () => {
  const ours = { url: BODY.url, transport: BODY.transport };

  test('asks the server of an integration, and says whose it is', async () => {
    const [shared, own] = [await integration({ slug: 'asked' }), await integration({ slug: 'asked-own' }, 'a')];
    asked.length = 0;
    const answer = await call('organisation', 'POST', `${shared}/test`);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        ...{ success: true, status_code: 200, response_time_ms: 7, url: BODY.url, server_name: 'Tickets', error: null },
      },
    });
    expect((await call('a', 'POST', `${own}/test`)).status).toBe(200);
    expect(asked).toEqual([
      { ...ours, asker: 'gatehouse-system', isOfWorkspace: false },
      { ...ours, asker: 'team-a', isOfWorkspace: true },
    ]);
    for (const key of ['b', 'reader']) expect((await call(key, 'POST', `${own}/test`)).status).not.toBe(200);
    expect(asked).toHaveLength(2);
  });

  test('asks that of a server, as long as its integration is granted', async () => {
    const shared = await integration({ slug: 'lent' });
    await put(`${shared}/workspaces`, { workspaces: [{ id: 'team-a', enabled: true }] });
    const url = await make('/mcp-servers', { name: 'Lent', slug: 'lent', mcp_integration_id: 'lent' }, 'a');
    asked.length = 0;
    expect((await call('a', 'POST', `${url}/test`)).body).toMatchObject({ success: true });
    expect(asked).toEqual([{ ...ours, asker: 'team-a', isOfWorkspace: false }]);
    await put(`${shared}/workspaces`, { workspaces: [{ id: 'team-a', enabled: false }] });
    const gone = await call('a', 'POST', `${url}/test`);
    expect([gone.status, gone.body]).toMatchObject([200, { success: false, url: null, status_code: null }]);
    expect(asked).toHaveLength(1);
  });

  test('is 503 where nothing asks servers', async () => {
    const bare = await createTestManagement(RESOURCES);
    await bare.call('organisation', 'POST', '/mcp-integrations', { ...BODY, slug: 'bare' });
    expect((await bare.call('organisation', 'POST', '/mcp-integrations/bare/test')).status).toBe(503);
    await bare.close();
  });
});
