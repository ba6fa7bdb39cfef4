import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import type { StageOf } from '../world.ts';

/** Workspaces with their members, the organisation, people, and what the database keeps of writes. */
export function testTenants(stage: StageOf): void {
  test('workspaces', async () => {
    const { client, world } = stage();
    const { spare: slug } = world;
    const usage_limits = [{ type: 'cost', credit_limit: 100 }];
    const body = { name: 'Team B', slug, description: 'Ours', usage_limits, defaults: { metadata: { team: 'b' } } };
    const { body: made } = await client.call('POST /admin/workspaces', { body });
    await client.call('POST /admin/workspaces', { body, status: 409 });
    await client.call('POST /admin/workspaces', { body: { ...body, slug: 'Not A Slug' }, status: 400 });
    const path = { workspaceId: made.id };
    const get = async () => (await client.call('GET /admin/workspaces/{workspaceId}', { path })).body;
    expect(await get()).toMatchObject({ slug, name: 'Team B', defaults: { metadata: { team: 'b' } } });
    const { body: list } = await client.call('GET /admin/workspaces', { query: { exact_name: 'Team B' } });
    expect(list).toMatchObject({ total: 1, data: [{ id: made.id }] });
    const defaults = { metadata: { team: 'c' } };
    await client.call('PUT /admin/workspaces/{workspaceId}', { path, body: { name: 'Team C', defaults } });
    expect(await get()).toMatchObject({ name: 'Team C', defaults });
    const config = { provider: 'ollama', custom_host: 'http://ollama:11434' };
    await client.call('POST /configs', { body: { name: 'Inside', workspace_id: slug, config } });
    const deletion = { name: 'Team C' };
    await client.call('DELETE /admin/workspaces/{workspaceId}', { path, body: deletion, status: 409 });
    await client.call('DELETE /admin/workspaces/{workspaceId}', { path, body: { name: 'Other' }, status: 400 });
    const forced = { ...deletion, force_delete: true };
    await client.call('DELETE /admin/workspaces/{workspaceId}', { path, body: forced });
    await client.call('GET /admin/workspaces/{workspaceId}', { path, status: 404 });
  });

  test('members of a workspace', async () => {
    const { client, world } = stage();
    const path = { workspaceId: world.workspace };
    const users = [{ id: 'ada@example.com', role: 'member' }];
    await client.call('POST /admin/workspaces/{workspaceId}/users', { path, body: { users } });
    await client.call('POST /admin/workspaces/{workspaceId}/users', { path, body: { users }, status: 409 });
    const ada = { ...path, userId: 'ada@example.com' };
    const get = async () =>
      (await client.call('GET /admin/workspaces/{workspaceId}/users/{userId}', { path: ada })).body;
    expect(await get()).toMatchObject({ id: 'ada@example.com', role: 'member' });
    const query = { role: 'member', page_size: '10' };
    const { body: list } = await client.call('GET /admin/workspaces/{workspaceId}/users', { path, query });
    expect(list).toMatchObject({ total: 1, data: [{ id: 'ada@example.com' }] });
    await client.call('PUT /admin/workspaces/{workspaceId}/users/{userId}', { path: ada, body: { role: 'manager' } });
    expect(await get()).toMatchObject({ role: 'manager' });
    await client.call('DELETE /admin/workspaces/{workspaceId}/users/{userId}', { path: ada });
    await client.call('GET /admin/workspaces/{workspaceId}/users/{userId}', { path: ada, status: 404 });
  });

  test('what holds for all workspaces', async () => {
    const { client, world } = stage();
    const { body: organisation } = await client.call('GET /admin/organisation/defaults');
    expect(organisation).toMatchObject({ input_guardrails: [] });
    const path = { direction: 'input-guardrails' };
    const excluded = async (isExcluded: boolean) => {
      const workspaces = [{ workspace_id: world.workspace, excluded: isExcluded }];
      await client.call('PUT /workspace-exclusions/{direction}', { path, body: { workspaces } });
      const { body } = await client.call('GET /workspace-exclusions/{direction}', { path });
      return body.workspaces;
    };
    expect(await excluded(true)).toMatchObject([{ slug: world.workspace, excluded: true }]);
    expect(await excluded(false)).not.toMatchObject([{ excluded: true }]);
    await client.call('PUT /admin/organisation/defaults', { body: { input_guardrails: [] } });
    const unknown = { input_guardrails: ['no-such-guardrail'] };
    const refused = await client.attempt('PUT /admin/organisation/defaults', { body: unknown });
    expect(refused.status).toBeGreaterThanOrEqual(400);
  });

  test('people and invitations', async () => {
    const { client, world } = stage();
    const invite = {
      email: 'eve@example.com',
      role: 'member',
      workspaces: [{ id: world.workspace, role: 'member' }],
      workspace_api_key_details: { scopes: ['completions.write'] },
    };
    const { body: made } = await client.call('POST /admin/users/invites', { body: invite });
    await client.call('POST /admin/users/invites', { body: invite, status: 409 });
    const path = { inviteId: made.id };
    const { body: shown } = await client.call('GET /admin/users/invites/{inviteId}', { path });
    expect(shown).toMatchObject({ email: invite.email, status: 'pending' });
    const query = { status: 'pending', currentPage: '0', pageSize: '10' };
    expect((await client.call('GET /admin/users/invites', { query })).body).toMatchObject({ total: 1 });
    const { body: again } = await client.call('POST /admin/users/invites/{inviteId}/resend', { path });
    const token = tokenOf(again.inviteLink);
    const accepted = { token, first_name: 'Eve', last_name: 'Example' };
    const accept = 'POST /admin/users/invites/accept';
    const old = { token: tokenOf(made.invite_link) };
    await client.call(accept, { key: null, body: old, status: 404 });
    const { body: user } = await client.call(accept, { key: null, body: accepted });
    expect(user.keys).toHaveLength(1);
    await client.call(accept, { key: null, body: accepted, status: 404 });

    const person = { userId: user.id };
    const { body: eve } = await client.call('GET /admin/users/{userId}', { path: person });
    expect(eve).toMatchObject({ email: invite.email, role: 'member' });
    expect((await client.call('GET /admin/users', { query: { email: invite.email } })).body).toMatchObject({
      total: 1,
    });
    await client.call('PUT /admin/users/{userId}', { path: person, body: { role: 'admin' } });
    await client.call('DELETE /admin/users/{userId}', { path: person });
    await client.call('GET /admin/users/{userId}', { path: person, status: 404 });

    const other = { email: 'mallory@example.com', role: 'member', workspaces: [] };
    const { body: open } = await client.call('POST /admin/users/invites', { body: other });
    await client.call('DELETE /admin/users/invites/{inviteId}', { path: { inviteId: open.id } });
    await client.call(accept, { key: null, body: { token: tokenOf(open.invite_link) }, status: 404 });
  });

  test('records and versions of writes', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const config = { provider: 'ollama', custom_host: 'http://ollama:11434' };
    await client.call('POST /configs', { body: { name: 'Audited', slug: 'audited', workspace_id, config } });
    const deletion = { path: { slug: 'audited' }, query: { workspace_id } };
    await client.call('PUT /configs/{slug}', { ...deletion, body: { name: 'Renamed' } });
    const versions = async () => (await client.call('GET /configs/{slug}/versions', deletion)).body.data;
    await waitFor(async () => (await versions()).length === 2, { what: 'the version before' });
    expect(await versions()).toMatchObject([{ name: 'Renamed' }, { name: 'Audited' }]);
    await client.call('DELETE /configs/{slug}', deletion);
    await client.call('DELETE /configs/{slug}', { ...deletion, status: 404 });
    const of = async (query: Record<string, string>) =>
      (await client.call('GET /audit-logs', { query: { uri: '/v1/configs/audited', method: 'DELETE', ...query } }))
        .body;
    await waitFor(async () => (await of({})).total === 2, { what: 'the records' });
    const record = { method: 'DELETE', uri: '/v1/configs/audited', resource_type: 'configs', action: 'delete' };
    const query = { resource_type: 'configs', action: 'delete', response_status_code: '200' };
    expect(await of({ ...query, user_type: 'api_key', current_page: '0', page_size: '10' })).toMatchObject({
      total: 1,
      records: [{ ...record, response_status_code: 200, error_code: null, forced: false }],
    });
    expect(await of({ response_status_code: '404' })).toMatchObject({ records: [{ ...record, error_code: 'AB02' }] });
    expect(await of({ start_time: '2100-01-01T00:00:00Z' })).toMatchObject({ total: 0, records: [] });
    await client.call('GET /audit-logs', { query: { start_time: 'yesterday' }, status: 400 });
  });

  test('groups of a directory', async () => {
    const { client, world } = stage();
    const body = { workspace_id: world.workspace, role: 'member', scim_group_name: 'Engineers' };
    const { body: made } = await client.call('POST /scim/workspaces', { body });
    const { body: again } = await client.call('POST /scim/workspaces', { body });
    expect(again.id).toBe(made.id);
    await client.call('POST /scim/workspaces', { body: { ...body, role: 'admin' }, status: 400 });
    const listed = await client.call('GET /scim/workspaces', { query: { workspace_id: world.workspace } });
    expect(listed.body).toMatchObject({ mappings: [{ id: made.id, role: 'member' }], total_count: 1 });
    const { body: groups } = await client.call('GET /scim/groups', { query: { search: 'engineers' } });
    expect(groups).toMatchObject({ total: 1, data: [{ name: 'Engineers' }] });
    await client.call('DELETE /scim/workspaces/{scimWorkspaceGroupId}', { path: { scimWorkspaceGroupId: made.id } });
    const { body: left } = await client.call('GET /scim/workspaces');
    expect(left).toMatchObject({ total_count: 0 });
  });
}

const tokenOf = (link: string): string => /gwi_[\w-]+/.exec(link)?.[0] ?? '';
