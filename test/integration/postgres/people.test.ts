import { createHash } from 'node:crypto';
import { type PostgresServer, startPostgres, unwrap, waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AuditLog,
  createAuditLog,
  createDatabase,
  type Database,
  postgresDialect,
  toAuditRecord,
} from '../../../operator/src/management/index.ts';
import { createTestManagement, type TestManagement } from '../../../operator/src/management/testing.ts';

let server: PostgresServer;
let database: Database;
let audit: AuditLog;
let management: TestManagement;
let nowMs = Date.UTC(2027, 0, 1);
const dropped: unknown[] = [];
beforeAll(async () => {
  server = await startPostgres();
  const dialect = unwrap(postgresDialect({ url: await server.database() }));
  database = createDatabase({ dialect, onAway: () => undefined });
  audit = createAuditLog({ database, onDropped: (record) => dropped.push(record), retryMs: 10 });
  management = await createTestManagement(['organisation_users', 'workspace_users', 'configs', 'completions'], {
    database,
    now: () => nowMs,
    onCall: (report) => {
      const record = toAuditRecord(report, nowMs);
      if (record !== undefined) audit.add(record);
    },
  });
});
afterAll(async () => {
  await management?.close();
  await audit?.close();
  await database?.close();
  await server?.[Symbol.asyncDispose]();
});

const call: TestManagement['call'] = (...args) => management.call(...args);
const org = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: object) =>
  call('organisation', method, `/admin/users${url}`, body);

async function invite(email: string, more: object = {}): Promise<{ readonly id: string; readonly token: string }> {
  const answer = await org('POST', '/invites', { email, role: 'member', workspaces: [], ...more });
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
  return { id: String(answer.body['id']), token: tokenIn(answer.body['invite_link']) };
}
const tokenIn = (link: unknown): string => /^\/invite#(gwi_[\w-]{43})$/.exec(String(link))?.[1] ?? '';
const accept = (token: string, more: object = {}) =>
  call(undefined, 'POST', '/admin/users/invites/accept', { token, ...more });
const join = async (email: string, more: object = {}): Promise<string> =>
  String((await accept((await invite(email, more)).token)).body['id']);

describe('an invitation', () => {
  test('is accepted once: the person has an account, memberships and a key', async () => {
    const { id, token } = await invite('Ada@Example.com', {
      workspaces: [{ id: 'team-a', role: 'manager' }],
      workspace_api_key_details: { scopes: ['configs.list'] },
    });
    expect((await org('GET', `/invites/${id}`)).body).toMatchObject({ email: 'ada@example.com', status: 'pending' });
    const { status, body } = await accept(token, { first_name: 'Ada' });
    expect([status, body]).toMatchObject([
      200,
      { email: 'ada@example.com', keys: [{ key: expect.stringMatching(/^gwk_/) }] },
    ]);
    expect((await accept(token)).status).toBe(404);
    expect((await org('GET', `/invites/${id}`)).body).toMatchObject({ status: 'accepted' });
    const user = String(body['id']);
    const { body: shown } = await org('GET', `/${user}`);
    expect(shown).toMatchObject({ first_name: 'Ada', role: 'member', email: 'ada@example.com' });
    expect(shown['workspace_ids']).toHaveLength(1);
    expect((await call('a', 'GET', `/admin/workspaces/team-a/users/${user}`)).body).toMatchObject({
      ...{ role: 'manager', first_name: 'Ada', email: 'ada@example.com' },
    });
    const [{ key } = { key: '' }] = body['keys'] as { key: string }[];
    const stored = await management.store.get({ kind: 'ApiKey', namespace: 'team-a', name: `user-${user}` });
    expect(stored?.spec).toMatchObject({ user, sha256: createHash('sha256').update(key).digest('hex') });
  });

  test('ends when it is cancelled, and after its time', async () => {
    const [cancelled, late] = [await invite('bob@example.com'), await invite('cy@example.com')];
    expect((await org('DELETE', `/invites/${cancelled.id}`)).status).toBe(200);
    expect((await org('DELETE', `/invites/${cancelled.id}`)).status).toBe(404);
    expect((await accept(cancelled.token)).status).toBe(404);
    nowMs += 8 * 86_400_000;
    expect((await accept(late.token)).status).toBe(404);
    const states = async (status: string) => (await org('GET', `/invites?status=${status}`)).body['total'];
    expect([await states('cancelled'), await states('expired')]).toEqual([1, 1]);
    expect((await accept((await invite('cy@example.com')).token)).status).toBe(200);
  });

  test('that is sent again has another token, and the one before has ended', async () => {
    const { id, token } = await invite('dora@example.com');
    const { body } = await org('POST', `/invites/${id}/resend`);
    const renewed = tokenIn(body['inviteLink']);
    expect(renewed).not.toBe(token);
    expect((await accept(token)).status).toBe(404);
    expect((await accept(renewed)).status).toBe(200);
    expect((await org('POST', `/invites/${id}/resend`)).status).toBe(404);
  });

  test('is one at a time for a person, and none for a user', async () => {
    const { token } = await invite('eve@example.com');
    const again = { email: 'EVE@example.com', role: 'member', workspaces: [] };
    expect((await org('POST', '/invites', again)).status).toBe(409);
    await accept(token);
    expect((await org('POST', '/invites', again)).status).toBe(409);
  });

  test('accepted many times at once makes one account', async () => {
    const { token } = await invite('fay@example.com');
    const answers = await Promise.all(Array.from({ length: 10 }, () => accept(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 404)]);
    expect((await org('GET', '?email=fay@example.com')).body).toMatchObject({ total: 1 });
  });

  test.for([
    { rule: 'an owner', body: { role: 'owner' }, status: 400 },
    { rule: 'a workspace that is not there', body: { workspaces: [{ id: 'absent', role: 'member' }] }, status: 404 },
    { rule: 'an unknown scope', body: { workspace_api_key_details: { scopes: ['x.y'] } }, status: 400 },
    {
      rule: 'a scope that the caller does not have',
      body: { workspace_api_key_details: { scopes: ['logs.view'] } },
      status: 403,
    },
  ])('is refused for $rule', async ({ body, status }) => {
    const full = { email: 'gus@example.com', role: 'member', workspaces: [], ...body };
    const refused = await org('POST', '/invites', full);
    expect(refused.status).toBe(status);
    if (status === 404) {
      expect(refused.body).toMatchObject({ errorCode: 'AB08', error: { param: 'workspaces[0].id' } });
    }
    expect((await org('GET', '/invites?email=gus@example.com')).body).toMatchObject({ total: 0 });
  });
});

describe('a user', () => {
  test('gets another role, and not the same again', async () => {
    const id = await join('hal@example.com');
    expect((await org('PUT', `/${id}`, { role: 'member' })).status).toBe(400);
    expect((await org('PUT', `/${id}`, { role: 'admin' })).status).toBe(200);
    expect((await org('GET', '?role=admin')).body).toMatchObject({ total: 1, data: [{ id }] });
  });

  test('who is removed loses memberships and keys everywhere', async () => {
    const workspaces = ['team-a', 'team-b'].map((name) => ({ id: name, role: 'member' }));
    const id = await join('ida@example.com', { workspaces, workspace_api_key_details: { scopes: ['configs.list'] } });
    const keys = async () =>
      (await management.store.list('ApiKey')).filter(({ spec }) => spec.user === id).length +
      (await management.store.list('WorkspaceMember')).filter(({ spec }) => spec.user === id).length;
    expect(await keys()).toBe(4);
    expect((await org('DELETE', `/${id}`)).status).toBe(200);
    expect(await keys()).toBe(0);
    expect((await org('GET', `/${id}`)).status).toBe(404);
  });

  test('who is the last owner stays', async () => {
    const id = await join('joe@example.com');
    await database.use((queries) => queries.updateTable('users').set({ role: 'owner' }).where('id', '=', id).execute());
    expect((await org('PUT', `/${id}`, { role: 'member' })).status).toBe(409);
    expect((await org('DELETE', `/${id}`)).status).toBe(409);
  });

  test('is listed in pages, for keys of the organisation alone', async () => {
    const { body } = await org('GET', '?pageSize=2&currentPage=1');
    expect(body['data']).toHaveLength(2);
    expect(body['total']).toBeGreaterThan(4);
    expect(
      (await call('reader', 'PUT', `/admin/users/${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`, { role: 'admin' }))
        .status,
    ).toBe(403);
    expect((await org('GET', '/not-an-id')).status).toBe(404);
  });
});

test('writes have records, without tokens, keys and hashes', async () => {
  const { token } = await invite('kim@example.com', { workspaces: [{ id: 'team-b', role: 'member' }] });
  const { body } = await accept(token);
  const rows = await waitFor(async () => {
    const found = await database.use((queries) =>
      queries.selectFrom('audit_records').selectAll().orderBy('at').execute(),
    );
    const isThere = found.some(({ changes }) => changes.some(({ object }) => object === body['id']));
    return isThere ? found : undefined;
  });
  const accepted = rows.find(({ changes }) => changes.some(({ object }) => object === body['id']));
  expect(accepted).toMatchObject({ operation: 'user_invites.accept', actor_type: 'anonymous', status: 200 });
  expect(accepted?.changes.map(({ action, kind }) => `${action} ${kind}`)).toEqual([
    'create WorkspaceMember',
    'create User',
  ]);
  expect(rows.find(({ operation }) => operation === 'user_invites.create')).toMatchObject({
    ...{ actor_type: 'api_key', actor_id: 'key', method: 'POST', path: '/v1/admin/users/invites' },
  });
  expect(rows.some(({ status, error_code }) => status === 409 && error_code === 'AB07')).toBe(true);
  const text = JSON.stringify(rows);
  expect(text).not.toMatch(/gwi_|gwk_|[0-9a-f]{64}/);
  expect(await server.sql('select * from gatehouse.invites', 'test1')).not.toContain(token);
  expect(dropped).toEqual([]);
});

test('while the database is away people are 503, everything else goes on, and records follow', async () => {
  await server.stop();
  expect((await org('GET', '')).body).toMatchObject({
    errorCode: 'AB04',
    message: expect.stringContaining('database'),
  });
  expect((await org('GET', '')).status).toBe(503);
  expect((await accept(`gwi_${'x'.repeat(43)}`)).status).toBe(503);
  const config = { name: 'While away', config: { provider: '@main' } };
  const { body } = await call('a', 'POST', '/configs', config);
  expect((await call('a', 'GET', `/configs/${String(body['slug'])}`)).status).toBe(200);
  await server.start();
  await waitFor(async () => (await org('GET', '')).status === 200);
  const rows = await waitFor(async () => {
    const found = await database.use((queries) =>
      queries.selectFrom('audit_records').selectAll().where('operation', '=', 'configs.create').execute(),
    );
    return found.length > 0 ? found : undefined;
  });
  expect(rows).toMatchObject([{ status: 200, changes: [{ kind: 'GatewayConfig', action: 'create' }] }]);
});
