/** Groups of the directory and the memberships that they give. */
import { randomUUID } from 'node:crypto';
import { type PostgresServer, startPostgres, unwrap } from '@gatehouse/test/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type Database, isScimMade, postgresDialect } from '../../../operator/src/management/index.ts';
import { createTestManagement, type TestManagement } from '../../../operator/src/management/testing.ts';
import { newUser } from '../../conformance/database/suite.ts';

let server: PostgresServer;
let database: Database;
let management: TestManagement;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await management?.close();
  await database?.close();
  await server?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await management?.close();
  await database?.close();
  const dialect = unwrap(postgresDialect({ url: await server.database() }));
  database = createDatabase({ dialect, onAway: () => undefined });
  management = await createTestManagement(['organisation_users', 'workspace_users', 'workspaces'], { database });
});

const call = (method: 'GET' | 'POST' | 'DELETE', url: string, body?: object) =>
  management.call('organisation', method, url, body);
const map = (workspace: string, role: string, group: object) =>
  call('POST', '/scim/workspaces', { workspace_id: workspace, role, ...group });

/** A group with people, as the directory would send it. */
async function groupOf(name: string, users: readonly string[]): Promise<string> {
  const id = randomUUID();
  const at = new Date(Date.UTC(2027, 0, 1));
  await database.use(async (queries) => {
    const row = { id, display_name: name, name_key: name.toLowerCase(), external_id: null, provisioned: true };
    await queries
      .insertInto('scim_groups')
      .values({ ...row, created_at: at, updated_at: at })
      .execute();
    const members = users.map((user) => ({ group_id: id, user_id: user }));
    if (members.length > 0) await queries.insertInto('scim_group_members').values(members).execute();
  });
  return id;
}
async function person(email: string, active = true): Promise<string> {
  const user = { ...newUser(email), active };
  await database.use((queries) => queries.insertInto('users').values(user).execute());
  return user.id;
}
const membersOf = async (namespace: string) =>
  Object.fromEntries(
    (await management.store.list('WorkspaceMember', namespace)).map(({ spec, meta }) => [
      spec.user,
      `${spec.role}${isScimMade(meta) ? ' by scim' : ''}`,
    ]),
  );

describe('a mapping', () => {
  test('makes the active people of a group members, and is made once', async () => {
    const [ada, bob] = [await person('ada@example.com'), await person('bob@example.com', false)];
    const group = await groupOf('Platform', [ada, bob]);
    const made = await map('team-a', 'Manager', { scim_group_id: group });
    expect(made).toMatchObject({
      status: 200,
      body: { scim_group: 'Platform', role: 'manager', scim_group_id: group },
    });
    expect(await membersOf('team-a')).toEqual({ [ada]: 'manager by scim' });
    expect((await map('team-a', 'manager', { scim_group_name: 'PLATFORM' })).body).toEqual(made.body);
    const all = await call('GET', '/scim/workspaces');
    expect(all.body).toEqual({ mappings: [made.body], total_count: 1 });
    expect((await management.store.list('ScimMapping', 'gatehouse-system')).map(({ spec }) => spec)).toEqual([
      { group: { id: group }, workspaceRef: { name: 'team-a' }, role: 'manager' },
    ]);
  });

  test('gives a group one role in all workspaces', async () => {
    const group = await groupOf('Platform', []);
    await map('team-a', 'member', { scim_group_id: group });
    expect(await map('team-b', 'admin', { scim_group_id: group })).toMatchObject({
      ...{ status: 400, body: { error: { param: 'role' } } },
    });
    expect((await map('team-b', 'member', { scim_group_id: group })).status).toBe(200);
    expect((await call('GET', '/scim/workspaces?workspace_id=team-b')).body).toMatchObject({ total_count: 1 });
    const list = (query: string) => call('GET', `/scim/workspaces?scim_group_id=${group}&role=MEMBER&${query}`);
    const second = await list('page=1&page_size=1');
    expect(second.body).toMatchObject({ total_count: 2, mappings: [{ scim_group_id: group }] });
    expect((await list('page=0&page_size=1')).body).not.toEqual(second.body);
    for (const query of ['current_page=1&page_size=1', 'currentPage=1&pageSize=1']) {
      expect((await list(query)).body).toEqual(second.body);
    }
  });

  test('makes a group of a name that nobody knows yet', async () => {
    const { body } = await map('team-a', 'member', { scim_group_name: 'Later' });
    const groups = await call('GET', '/scim/groups?search=LATE');
    expect(groups.body).toMatchObject({
      ...{ total: 1, data: [{ id: body['scim_group_id'], name: 'Later', provisioned: false, member_count: 0 }] },
    });
    expect((await call('GET', '/scim/groups?search=%25')).body).toMatchObject({ total: 0 });
  });

  test.for([
    { rule: 'neither group', body: {}, param: 'scim_group_id', status: 400 },
    { rule: 'both', body: { scim_group_id: randomUUID(), scim_group_name: 'a' }, param: 'scim_group_id', status: 400 },
    { rule: 'a reserved name', body: { scim_group_name: 'ws-a-role-admin' }, param: 'scim_group_name', status: 400 },
    { rule: 'an unknown id', body: { scim_group_id: randomUUID() }, param: 'scim_group_id', status: 404 },
    { rule: 'an unknown role', body: { scim_group_name: 'a', role: 'owner' }, param: 'role', status: 400 },
    {
      rule: 'an unknown workspace',
      body: { scim_group_name: 'a', workspace_id: 'x' },
      param: 'workspace_id',
      status: 404,
    },
  ])('with $rule is refused', async ({ body, param, status }) => {
    const errorCode = status === 404 ? 'AB08' : 'AB01';
    expect(await map('team-a', 'member', body)).toMatchObject({ status, body: { errorCode, error: { param } } });
    expect(await management.store.list('ScimMapping')).toEqual([]);
  });

  test('of two groups gives the higher role, and the lower one when the first ends', async () => {
    const ada = await person('ada@example.com');
    const [admins, all] = [await groupOf('Admins', [ada]), await groupOf('All', [ada])];
    await map('team-a', 'member', { scim_group_id: all });
    const { body } = await map('team-a', 'admin', { scim_group_id: admins });
    expect(await membersOf('team-a')).toEqual({ [ada]: 'admin by scim' });
    expect(await call('DELETE', `/scim/workspaces/${body['id']}`)).toEqual({ status: 200, body: { success: true } });
    expect(await membersOf('team-a')).toEqual({ [ada]: 'member by scim' });
  });

  test('that ends leaves its people as members whom somebody has added', async () => {
    const ada = await person('ada@example.com');
    const { body } = await map('team-a', 'manager', { scim_group_id: await groupOf('Platform', [ada]) });
    await call('DELETE', `/scim/workspaces/${body['id']}`);
    expect(await membersOf('team-a')).toEqual({ [ada]: 'manager' });
    expect((await call('DELETE', `/scim/workspaces/${body['id']}`)).status).toBe(404);
  });

  test('that ends with its members takes away what it made, with the keys, and nothing else', async () => {
    const [ada, bob, cy] = [await person('ada@example.com'), await person('bob@example.com'), await person('cy@x.org')];
    await call('POST', '/admin/workspaces/team-a/users', {
      users: [
        { id: bob, role: 'member' },
        { id: cy, role: 'admin' },
      ],
    });
    for (const user of [ada, bob]) {
      const spec = { type: 'workspace-user', user, sha256: 'a'.repeat(64), scopes: ['completions.write'] };
      await management.store.create({ kind: 'ApiKey', namespace: 'team-a', name: user }, { spec }, { force: false });
    }
    const { body } = await map('team-a', 'manager', { scim_group_id: await groupOf('Platform', [ada, bob]) });
    expect(await membersOf('team-a')).toEqual({ [ada]: 'manager by scim', [bob]: 'member', [cy]: 'admin' });
    await call('DELETE', `/scim/workspaces/${body['id']}?remove_members=true`);
    expect(await membersOf('team-a')).toEqual({ [bob]: 'member', [cy]: 'admin' });
    expect((await management.store.list('ApiKey', 'team-a')).map(({ meta }) => meta.name)).toEqual([bob]);
  });

  test('goes with its workspace, whose members of groups do not keep it', async () => {
    const ada = await person('ada@example.com');
    await map('team-b', 'member', { scim_group_id: await groupOf('Platform', [ada]) });
    const gone = await call('DELETE', '/admin/workspaces/team-b', { name: 'team-b', force_delete: true });
    expect(gone.status, JSON.stringify(gone.body)).toBe(200);
    expect(await management.store.list('ScimMapping')).toEqual([]);
    expect(await membersOf('team-b')).toEqual({});
  });
});

describe('a member that a group has made', () => {
  test('is changed and removed by the directory alone, or by force', async () => {
    const ada = await person('ada@example.com');
    await map('team-a', 'manager', { scim_group_id: await groupOf('Platform', [ada]) });
    const url = `/admin/workspaces/team-a/users/${ada}`;
    const refused = await call('DELETE', url);
    expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining('managed by SCIM') } });
    expect(await membersOf('team-a')).toEqual({ [ada]: 'manager by scim' });
    expect((await call('DELETE', `/admin/users/${ada}`)).status).toBe(200);
    expect(await membersOf('team-a')).toEqual({});
  });
});

test('a key of a workspace sees neither mappings nor groups', async () => {
  const scoped = { ...(await createTestManagement(['workspaces'], { database })) };
  for (const url of ['/scim/workspaces', '/scim/groups']) expect((await scoped.call('a', 'GET', url)).status).toBe(403);
  await scoped.close();
});

test('without a database mappings are away', async () => {
  const bare = await createTestManagement(['organisation_users']);
  for (const url of ['/scim/workspaces', '/scim/groups']) {
    expect((await bare.call('organisation', 'GET', url)).status).toBe(503);
  }
  await bare.close();
});
