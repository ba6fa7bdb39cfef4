/** A directory provisions people over the port of the gateway, and what their keys may do follows. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMockProvider, type MockProvider } from '../mock-provider/index.ts';
import { ADMIN_KEY as ADMIN, addressOf, startGatehouse, tempFolder } from '../testing/index.ts';
import { callApi } from './testing.ts';

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const ADMIN_KEY = ADMIN.padEnd(32, '0');
const STARTING_MS = 180_000;
const KEY = 'gwk_ada_of_tests';

let mock: MockProvider;
beforeAll(async () => {
  mock = await createMockProvider();
});
afterAll(() => mock.close());

test('who leaves a group of the directory has no access any more', async () => {
  using folder = tempFolder({
    'workspace.yaml': `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n`,
    'provider.yaml': `${API}\nkind: VirtualKey\nmetadata: { name: local, namespace: team-a }\nspec: { provider: openai, customHost: "${mock.url}/v1" }\n`,
  });
  const args = ['--resources', folder.path, '--port', '0', '--admin-port', '0', '--data', join(folder.path, '.data')];
  await using child = startGatehouse(['standalone', ...args], { GATEHOUSE_ADMIN_KEY: ADMIN_KEY });
  const url = await addressOf(child);
  const admin = (method: string, path: string, body?: object) =>
    callApi(url, path, { method, key: ADMIN_KEY, ...(body === undefined ? {} : { body }) });
  // The first call starts the database, which takes its time on a busy machine.
  const tokenOf = async (): Promise<unknown> => (await admin('POST', '/scim/token')).body['token'];
  const token = await waitFor(tokenOf, { what: 'the database', deadlineMs: STARTING_MS });
  const scim = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}/v1/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${String(token)}`, 'content-type': 'application/scim+json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
  };
  const { body: ada } = await scim('POST', '/Users', { userName: 'ada@example.com' });
  const { body: group } = await scim('POST', '/Groups', { displayName: 'Platform', members: [{ value: ada.id }] });
  const mapping = { workspace_id: 'team-a', role: 'member', scim_group_id: group.id };
  expect((await admin('POST', '/scim/workspaces', mapping)).status).toBe(200);
  const [file = ''] = readdirSync(join(folder.path, 'team-a/workspace-member'));
  expect(readFileSync(join(folder.path, 'team-a/workspace-member', file), 'utf8')).toContain(
    'app.kubernetes.io/managed-by: scim',
  );
  const sha256 = createHash('sha256').update(KEY).digest('hex');
  folder.write(
    'key.yaml',
    `${API}\nkind: ApiKey\nmetadata: { name: ada, namespace: team-a }\nspec: { type: workspace-user, user: ${ada.id}, sha256: ${sha256}, scopes: [completions.write] }\n`,
  );
  const chat = async (): Promise<number> => {
    const body = { model: '@local/mock-small', messages: [{ role: 'user', content: 'hi' }] };
    return (await callApi(url, '/chat/completions', { method: 'POST', key: KEY, body })).status;
  };
  await waitFor(async () => (await chat()) === 200, { what: 'the key of a member' });
  const patch = (path: string, ...Operations: readonly object[]) => scim('PATCH', path, { Operations });
  const left = await patch(`/Groups/${group.id}`, { op: 'remove', path: `members[value eq "${ada.id}"]` });
  expect(left.status).toBe(204);
  await waitFor(async () => (await chat()) === 401, { what: 'the key without rights' });
  await patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value: [{ value: ada.id }] });
  await waitFor(async () => (await chat()) === 200, { what: 'the key of a member again' });
  expect((await patch(`/Users/${ada.id}`, { op: 'replace', path: 'active', value: false })).status).toBe(200);
  await waitFor(async () => (await chat()) === 401, { what: 'the deleted key' });
  const unknown = await fetch(`${url}/v1/scim/Users`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
  expect([unknown.status, unknown.headers.get('content-type')]).toEqual([401, 'application/scim+json; charset=utf-8']);
});
