import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import type { Call, CallOptions } from '../client.ts';
import { DIRECTORY_CALLS } from '../contract.ts';
import type { StageOf } from '../world.ts';

const SCHEMAS = 'urn:ietf:params:scim:schemas:core:2.0';
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

const changes = (...Operations: readonly object[]) => ({ schemas: [PATCH_OP], Operations });

/** What a directory calls with its own token: SCIM 2.0. */
export function testDirectory(stage: StageOf): void {
  let token = '';
  const scim = async (call: Call, options: CallOptions = {}) =>
    (await stage().client.call(call, { key: token, ...options })).body;

  test('the token of a directory', async () => {
    const { client } = stage();
    await client.call('GET /scim/token', { status: 404 });
    await client.call('DELETE /scim/token', { status: 404 });
    const { body: first } = await client.call('POST /scim/token');
    ({ token } = (await client.call('POST /scim/token')).body);
    const shown = await client.call('GET /scim/token');
    expect(shown.body).toMatchObject({ object: 'scim_token' });
    expect(shown.text).not.toContain(token);
    await scim('GET /scim/Users');
    await client.call('GET /scim/Users', { key: first.token, status: 401 });
    await client.call('GET /configs', { key: token, status: 401 });
  });

  test('what a directory may do', async () => {
    expect(await scim('GET /scim/ServiceProviderConfig')).toMatchObject({ patch: { supported: true } });
    expect(await scim('GET /scim/ResourceTypes')).toMatchObject({ totalResults: 2 });
    expect(await scim('GET /scim/ResourceTypes/{id}', { path: { id: 'User' } })).toMatchObject({ id: 'User' });
    expect(await scim('GET /scim/Schemas')).toMatchObject({ totalResults: 2 });
    const id = `${SCHEMAS}:Group`;
    expect(await scim('GET /scim/Schemas/{id}', { path: { id } })).toMatchObject({ id });
  });

  test('users of a directory', async () => {
    const body = {
      ...{ schemas: [`${SCHEMAS}:User`], userName: 'barbara@example.com', externalId: 'E-1' },
      name: { givenName: 'Barbara', familyName: 'Example' },
    };
    const { id } = await scim('POST /scim/Users', { body, status: 201 });
    expect(await scim('POST /scim/Users', { body, status: 409 })).toMatchObject({ scimType: 'uniqueness' });
    const nobody = { schemas: body.schemas };
    expect(await scim('POST /scim/Users', { body: nobody, status: 400 })).toMatchObject({ scimType: 'invalidValue' });
    const path = { id };
    const { schemas: _, ...shown } = body;
    expect(await scim('GET /scim/Users/{id}', { path })).toMatchObject({ ...shown, active: true });
    const query = { filter: 'userName eq "barbara@example.com"', startIndex: '1', count: '10', attributes: 'userName' };
    expect(await scim('GET /scim/Users', { query })).toMatchObject({ totalResults: 1, Resources: [{ id }] });
    const odd = { filter: 'userName zz "x"' };
    expect(await scim('GET /scim/Users', { query: odd, status: 400 })).toMatchObject({ scimType: 'invalidFilter' });
    const anew = { ...body, name: { givenName: 'Barb', familyName: 'Example' } };
    expect(await scim('PUT /scim/Users/{id}', { path, body: anew })).toMatchObject({ name: { givenName: 'Barb' } });
    const suspended = changes({ op: 'replace', path: 'active', value: false });
    expect(await scim('PATCH /scim/Users/{id}', { path, body: suspended })).toMatchObject({ active: false });
    const wrong = changes({ op: 'replace', path: 'no-such-attribute', value: 1 });
    expect(await scim('PATCH /scim/Users/{id}', { path, body: wrong, status: 400 })).toMatchObject({
      scimType: 'invalidPath',
    });
    await scim('DELETE /scim/Users/{id}', { path, status: 204 });
    await scim('GET /scim/Users/{id}', { path, status: 404 });
  });

  test('groups of a directory with their members', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const person = { schemas: [`${SCHEMAS}:User`], userName: 'radia@example.com' };
    const { id: user } = await scim('POST /scim/Users', { body: person, status: 201 });
    const body = { schemas: [`${SCHEMAS}:Group`], displayName: 'Platform', members: [{ value: user }] };
    const { id } = await scim('POST /scim/Groups', { body, status: 201 });
    expect(await scim('POST /scim/Groups', { body, status: 409 })).toMatchObject({ scimType: 'uniqueness' });
    await scim('POST /scim/Groups', { body: { schemas: body.schemas }, status: 400 });
    const path = { id };
    expect(await scim('GET /scim/Groups/{id}', { path })).toMatchObject({
      displayName: 'Platform',
      members: [{ value: user }],
    });
    const query = { filter: 'displayName eq "platform"', excludedAttributes: 'members' };
    expect(await scim('GET /scim/Groups', { query })).toMatchObject({ totalResults: 1, Resources: [{ id }] });

    const mapping = { workspace_id, role: 'manager', scim_group_id: id };
    await client.call('POST /scim/workspaces', { body: mapping });
    const member = { path: { workspaceId: workspace_id, userId: user } };
    const role = 'GET /admin/workspaces/{workspaceId}/users/{userId}';
    expect((await client.call(role, member)).body).toMatchObject({ role: 'manager' });
    const removal = changes({ op: 'remove', path: `members[value eq "${user}"]` });
    await scim('PATCH /scim/Groups/{id}', { path, body: removal, status: 204 });
    await client.call(role, { ...member, status: 404 });
    expect(
      await scim('PUT /scim/Groups/{id}', { path, body: { ...body, displayName: 'Infrastructure' } }),
    ).toMatchObject({
      displayName: 'Infrastructure',
    });
    await scim('DELETE /scim/Groups/{id}', { path, status: 204 });
    await scim('GET /scim/Groups/{id}', { path, status: 404 });
    await client.call(role, { ...member, status: 404 });
    await scim('DELETE /scim/Users/{id}', { path: { id: user }, status: 204 });
  });

  test.for(DIRECTORY_CALLS)('%s answers errors as SCIM has them', async (call) => {
    const { client } = stage();
    const { path, body } = client.good.get(call) ?? {};
    const attempt = (options: CallOptions) => client.attempt(call, { ...(path && { path }), key: token, ...options });
    const sent = body === undefined ? {} : { body };
    for (const key of [null, stage().world.key, 'gws_unknown']) {
      expect(await attempt({ ...sent, key })).toMatchObject({ status: 401, body: { schemas: [ERROR], status: '401' } });
    }
    if (path !== undefined) {
      for (const id of ['no-such-object', '00000000-0000-4000-8000-000000000000']) {
        expect(await attempt({ ...sent, path: { id } })).toMatchObject({ status: 404, body: { schemas: [ERROR] } });
      }
    }
    if (body !== undefined) {
      expect(await attempt({ body: '{"schemas": ' })).toMatchObject({ status: 400, body: { schemas: [ERROR] } });
    }
  });

  test('the end of the token', async () => {
    const { client } = stage();
    await client.call('DELETE /scim/token');
    const isOver = async () => (await client.attempt('GET /scim/Users', { key: token })).status === 401;
    await waitFor(isOver, { what: 'the end of the token' });
  });
}
