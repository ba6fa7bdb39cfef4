import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import type { StageOf } from '../world.ts';

export function testKeys(stage: StageOf): void {
  test('API keys', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const service = { type: 'workspace', subType: 'service' };
    const body = { name: 'App', slug: 'app', workspace_id, scopes: ['configs.list'], description: 'Ours' };
    const { body: made } = await client.call('POST /api-keys/{type}/{subType}', { path: service, body });
    await client.call('POST /api-keys/{type}/{subType}', { path: service, body, status: 409 });
    const none = { ...body, slug: 'other', scopes: [] };
    await client.call('POST /api-keys/{type}/{subType}', { path: service, body: none, status: 400 });
    const unknown = { ...none, scopes: ['no.such'] };
    await client.call('POST /api-keys/{type}/{subType}', { path: service, body: unknown, status: 400 });
    const works = async (key: string) => (await client.attempt('GET /configs', { key })).status === 200;
    await waitFor(() => works(made.key), { what: 'the key' });
    const path = { id: made.id };
    const get = () => client.call('GET /api-keys/{id}', { path });
    const shown = await get();
    expect(shown.body).toMatchObject({ id: made.id, name: 'App', scopes: ['configs.list'] });
    expect(shown.text).not.toContain(made.key);
    const { body: list } = await client.call('GET /api-keys', { query: { workspace_id, page_size: '100' } });
    expect(list.data.map(({ id }) => id)).toContain(made.id);
    const change = { name: 'Other', rate_limits: [{ type: 'requests', unit: 'rpm', value: 1_000 }] };
    await client.call('PUT /api-keys/{id}', { path, body: change });
    expect((await get()).body).toMatchObject(change);
    const rotation = { path, body: { key_transition_period_ms: 1_800_000 } };
    const { body: next } = await client.call('POST /api-keys/{id}/rotate', rotation);
    await client.call('POST /api-keys/{id}/rotate', { ...rotation, status: 409 });
    await waitFor(() => works(next.key), { what: 'the key that replaces it' });
    expect(await works(made.key)).toBe(true);
    await client.call('DELETE /api-keys/{id}', { path });
    await client.call('GET /api-keys/{id}', { path, status: 404 });
    await waitFor(async () => !(await works(next.key)), { what: 'the end of the key' });
  });

  test('API keys of the organisation and of people', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const [organisation, people] = [
      { type: 'organisation', subType: 'service' },
      { type: 'workspace', subType: 'user' },
    ];
    const { body: own } = await client.call('POST /api-keys/{type}/{subType}', {
      path: organisation,
      body: { name: 'Platform', scopes: ['workspaces.list'] },
    });
    const user = 'grace@example.com';
    const users = [{ id: user, role: 'member' }];
    const members = { workspaceId: workspace_id };
    await client.call('POST /admin/workspaces/{workspaceId}/users', { path: members, body: { users } });
    const { body: theirs } = await client.call('POST /api-keys/{type}/{subType}', {
      path: people,
      body: { name: 'Grace', workspace_id, user_id: user, scopes: ['completions.write'] },
    });
    for (const { id } of [own, theirs]) await client.call('DELETE /api-keys/{id}', { path: { id } });
    await client.call('DELETE /admin/workspaces/{workspaceId}/users/{userId}', { path: { ...members, userId: user } });
  });
}
