import { expect, test } from 'vitest';
import type { StageOf } from '../world.ts';

const ENDPOINT = { url: 'https://mcp.example.com/mcp', transport: 'http' };
const TOOLS = [
  { type: 'tool', name: 'read', enabled: true },
  { type: 'tool', name: 'delete', enabled: false },
];

/** MCP integrations with their workspaces, and MCP servers with the people who may use them. */
export function testMcp(stage: StageOf): void {
  test('MCP integrations of the organisation', async () => {
    const { client, world } = stage();
    const headers = (value: string) => ({ custom_headers: { authorization: value } });
    const body = {
      ...{ ...ENDPOINT, name: 'Tickets', slug: 'tickets', description: 'Why', auth_type: 'headers' },
      configurations: {
        ...headers('sk-of-the-contract-8'),
        forward_headers: { mode: 'allowlist', headers: ['x-team'] },
      },
    };
    const { body: made } = await client.call('POST /mcp-integrations', { body });
    await client.call('POST /mcp-integrations', { body, status: 409 });
    for (const wrong of [{ url: 'ftp://mcp.example.com' }, { auth_type: 'none' }, { transport: 'no-such-transport' }]) {
      await client.call('POST /mcp-integrations', { body: { ...body, ...wrong, slug: 'other' }, status: 400 });
    }
    const foreign = { ...body, slug: 'other', workspace_id: 'no-such-workspace' };
    await client.call('POST /mcp-integrations', { body: foreign, status: 404 });
    const path = { mcpIntegrationId: made.id };
    const get = () => client.call('GET /mcp-integrations/{mcpIntegrationId}', { path });
    const first = await get();
    expect(first.body).toMatchObject({
      ...{ id: made.id, slug: 'tickets', name: 'Tickets', type: 'organisation', workspace_id: null },
      configurations: { custom_headers: { authorization: '********' }, forward_headers: { headers: ['x-team'] } },
    });
    const query = { type: 'organisation', search: 'tick', current_page: '0', page_size: '10' };
    const { body: list } = await client.call('GET /mcp-integrations', { query });
    expect(list).toMatchObject({ total: 1, data: [{ id: made.id }], has_more: false });
    const change = { name: 'Issues', description: null, transport: 'sse' };
    const put = 'PUT /mcp-integrations/{mcpIntegrationId}';
    await client.call(put, { path, body: { ...change, configurations: headers('sk-of-the-contract-9') } });
    await client.call(put, { path, body: { url: 'https://elsewhere.example.com/mcp' }, status: 400 });
    const second = await get();
    expect(second.body).toMatchObject({ ...change, url: ENDPOINT.url });
    expect(first.text + second.text).not.toContain('sk-of-the-contract');

    const switches = 'PUT /mcp-integrations/{mcpIntegrationId}/capabilities';
    await client.call(switches, { path, body: { capabilities: TOOLS } });
    await client.call(switches, { path, body: { capabilities: [] }, status: 400 });
    const { body: shown } = await client.call('GET /mcp-integrations/{mcpIntegrationId}/capabilities', {
      path,
      query: { type: 'tool', page: '2', page_size: '1' },
    });
    expect(shown).toMatchObject({ total: 2, data: [TOOLS[1]], counts: { tools: { total: 2, enabled: 1 } } });
    const { body: known } = await client.call('GET /mcp-integrations/{mcpIntegrationId}/metadata', { path });
    expect(known).toMatchObject({ sync_status: 'pending' });
    const { body: tested } = await client.call('POST /mcp-integrations/{mcpIntegrationId}/test', { path });
    expect(tested).toMatchObject({ success: false, status_code: null, url: ENDPOINT.url });

    const { workspace } = world;
    const grants = 'PUT /mcp-integrations/{mcpIntegrationId}/workspaces';
    const grant = (...ids: readonly string[]) => ({ workspaces: ids.map((id) => ({ id, enabled: true })) });
    await client.call(grants, { path, body: grant('no-such-workspace'), status: 404 });
    await client.call(grants, { path, body: grant(workspace, workspace), status: 400 });
    await client.call(grants, { path, body: grant(workspace) });
    const granted = async (asked: Record<string, string>) =>
      (await client.call('GET /mcp-integrations/{mcpIntegrationId}/workspaces', { path, query: asked })).body;
    expect(await granted({})).toMatchObject({ workspaces: [{ id: workspace, enabled: true }] });
    expect(await granted({ version: '2' })).toMatchObject({ data: [{ id: workspace }], total: 1 });
    const { body: visible } = await client.call('GET /mcp-integrations', { query: { workspace_id: workspace } });
    expect(visible).toMatchObject({ data: [{ id: made.id }] });

    const server = { name: 'Ours', slug: 'of-the-organisation', mcp_integration_id: made.id, workspace_id: workspace };
    const { body: user } = await client.call('POST /mcp-servers', { body: server });
    await world.settled();
    await client.call('DELETE /mcp-integrations/{mcpIntegrationId}', { path, status: 409 });
    const { body: asked } = await client.call('POST /mcp-servers/{mcpServerId}/test', {
      path: { mcpServerId: user.id },
    });
    expect(asked).toMatchObject({ success: false, status_code: null, url: ENDPOINT.url });
    await client.call('DELETE /mcp-servers/{mcpServerId}', { path: { mcpServerId: user.id } });
    await client.call('DELETE /mcp-integrations/{mcpIntegrationId}', { path });
    await client.call('GET /mcp-integrations/{mcpIntegrationId}', { path, status: 404 });
  });

  test('MCP integrations and servers of a workspace', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const endpoint = { ...ENDPOINT, name: 'Search', slug: 'search', auth_type: 'none', workspace_id };
    const { body: own } = await client.call('POST /mcp-integrations', { body: endpoint });
    const of = { mcpIntegrationId: own.id };
    const { body: integrations } = await client.call('GET /mcp-integrations', {
      query: { type: 'workspace', workspace_id },
    });
    expect(integrations).toMatchObject({ total: 1, data: [{ id: own.id, type: 'workspace' }] });
    await client.call('PUT /mcp-integrations/{mcpIntegrationId}/workspaces', {
      path: of,
      body: { workspaces: [{ id: workspace_id, enabled: true }] },
      status: 400,
    });

    const body = { name: 'Finder', slug: 'finder', description: 'Why', mcp_integration_id: 'search', workspace_id };
    const { body: made } = await client.call('POST /mcp-servers', { body });
    await client.call('POST /mcp-servers', { body, status: 409 });
    const unknown = { ...body, slug: 'other', mcp_integration_id: 'no-such-integration' };
    await client.call('POST /mcp-servers', { body: unknown, status: 404 });
    const foreign = { ...body, slug: 'other', workspace_id: 'no-such-workspace' };
    await client.call('POST /mcp-servers', { body: foreign, status: 404 });
    const path = { mcpServerId: made.id };
    const get = async () => (await client.call('GET /mcp-servers/{mcpServerId}', { path })).body;
    expect(await get()).toMatchObject({
      ...{ slug: 'finder', name: 'Finder', description: 'Why', mcp_integration_id: own.id },
      mcp_integration_details: { id: own.id, url: ENDPOINT.url, transport: 'http', auth_type: 'none' },
    });
    const query = { workspace_id, id: `${made.id},other`, search: 'find', current_page: '0', page_size: '10' };
    const { body: list } = await client.call('GET /mcp-servers', { query });
    expect(list).toMatchObject({ total: 1, data: [{ id: made.id, mcp_integration_slug: 'search' }] });
    const change = { name: 'Seeker', description: null };
    await client.call('PUT /mcp-servers/{mcpServerId}', { path, body: change });
    await client.call('PUT /mcp-servers/{mcpServerId}', { path, body: { name: '' }, status: 400 });
    expect(await get()).toMatchObject(change);
    expect((await client.call('GET /mcp-servers/{mcpServerId}/metadata', { path })).body).toMatchObject({
      sync_status: 'pending',
    });

    await client.call('PUT /mcp-integrations/{mcpIntegrationId}/capabilities', {
      path: of,
      body: { capabilities: TOOLS },
    });
    const switches = { capabilities: [{ type: 'prompt', name: 'greet', enabled: false }] };
    await client.call('PUT /mcp-servers/{mcpServerId}/capabilities', { path, body: switches });
    await client.call('PUT /mcp-servers/{mcpServerId}/capabilities', { path, body: { capabilities: [] }, status: 400 });
    const capabilities = async (asked: Record<string, string>) =>
      (await client.call('GET /mcp-servers/{mcpServerId}/capabilities', { path, query: asked })).body;
    expect(await capabilities({ page: '1', page_size: '2' })).toMatchObject({ total: 3, has_more: true });
    expect(await capabilities({ type: 'prompt' })).toMatchObject({
      data: [{ ...switches.capabilities[0], integration_enabled: true }],
    });
    expect(await capabilities({ type: 'tool' })).toMatchObject({
      data: [
        { name: 'read', enabled: true, integration_enabled: true },
        { name: 'delete', enabled: false, integration_enabled: false },
      ],
    });

    const user = 'linus@example.com';
    const access = { default_user_access: 'deny', user_access: [{ user_id: user, enabled: true }] };
    await client.call('PUT /mcp-servers/{mcpServerId}/user-access', { path, body: access });
    const other = { default_user_access: 'no-such-access' };
    await client.call('PUT /mcp-servers/{mcpServerId}/user-access', { path, body: other, status: 400 });
    const { body: people } = await client.call('GET /mcp-servers/{mcpServerId}/user-access', {
      path,
      query: { search: 'linus', page: '1', page_size: '10' },
    });
    expect(people).toMatchObject({
      ...{ default_user_access: 'deny', total: 1 },
      data: [{ user_id: user, enabled: true, has_override: true }],
    });

    await world.settled();
    await client.call('DELETE /mcp-integrations/{mcpIntegrationId}', { path: of, status: 409 });
    await client.call('DELETE /mcp-servers/{mcpServerId}', { path });
    await client.call('GET /mcp-servers/{mcpServerId}', { path, status: 404 });
    await client.call('DELETE /mcp-integrations/{mcpIntegrationId}', { path: of });
    await client.call('GET /mcp-integrations/{mcpIntegrationId}', { path: of, status: 404 });
  });
}
