import { scopesOfMember, type Toggles, togglesFrom, WORKSPACE_ROLES } from '@gatehouse/crds/kinds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller, CallReport } from '../../index.ts';
import { createTestManagement, type TestManagement } from '../../testing.ts';

const NONE: Toggles = togglesFrom(undefined, undefined);
const person = (user: string, role: (typeof WORKSPACE_ROLES)[number]): Caller => ({
  keyId: `key/team-a/${user}`,
  keyName: user,
  type: 'workspace-user',
  workspace: 'team-a',
  user,
  scopes: scopesOfMember(role, NONE),
  expiresAtMs: Number.POSITIVE_INFINITY,
});
const people = Object.fromEntries(WORKSPACE_ROLES.map((role) => [`key-of-${role}`, person(role, role)]));

let management: TestManagement;
const reports: CallReport[] = [];
beforeAll(async () => {
  management = await createTestManagement(['workspace_users', 'workspace_user_api_keys'], {
    callers: people,
    onCall: (report) => reports.push(report),
  });
});
afterAll(() => management.close());

const call: TestManagement['call'] = (...args) => management.call(...args);
const URL = '/admin/workspaces/team-a/users';
const add = (id: string, role = 'member', key = 'a') => call(key, 'POST', URL, { users: [{ id, role }] });
const makeKey = async (user: string, namespace = 'team-a') => {
  const place = { kind: 'ApiKey', namespace, name: `of-${user}` } as const;
  const spec = { type: 'workspace-user', user, sha256: 'a'.repeat(64), scopes: ['completions.write'] };
  await management.store.create(place, { spec }, { force: false });
  return place;
};

describe('a member', () => {
  test('is added, read, listed, given another role and removed', async () => {
    expect(await add('ada@example.com', 'manager')).toEqual({ status: 200, body: {} });
    const shown = { id: 'ada@example.com', email: 'ada@example.com', role: 'manager', org_role: 'member' };
    const { body } = await call('a', 'GET', `${URL}/ada%40example.com`);
    expect(body).toMatchObject({ object: 'workspace-user', ...shown, status: 'active' });
    expect(body['scopes']).toEqual([...scopesOfMember('manager', NONE)].sort());
    expect((await call('a', 'GET', `${URL}?role=manager`)).body).toMatchObject({ total: 1, data: [shown] });
    expect((await call('a', 'GET', `${URL}?email=eve@example.com`)).body).toMatchObject({ total: 0 });
    expect((await call('a', 'PUT', `${URL}/ada%40example.com`, { role: 'manager' })).status).toBe(400);
    expect(await call('a', 'PUT', `${URL}/ada%40example.com`, { role: 'admin' })).toEqual({ status: 200, body: {} });
    expect((await call('a', 'GET', `${URL}/ada%40example.com`)).body).toMatchObject({ role: 'admin' });
    expect((await call('a', 'DELETE', `${URL}/ada%40example.com`)).status).toBe(200);
    expect((await call('a', 'GET', `${URL}/ada%40example.com`)).status).toBe(404);
  });

  test('is added once, and of several people all are added or none', async () => {
    await add('bob');
    expect((await add('bob')).body).toMatchObject({ errorCode: 'AB07', error: { param: 'users[0].id' } });
    const users = [
      { id: 'cy', role: 'member' },
      { id: 'bob', role: 'member' },
    ];
    expect((await call('a', 'POST', URL, { users })).status).toBe(409);
    expect((await call('a', 'GET', `${URL}/cy`)).status).toBe(404);
  });

  test('of another workspace is not there', async () => {
    await add('dora');
    expect((await call('b', 'GET', URL)).status).toBe(404);
    expect((await call('b', 'GET', '/admin/workspaces/team-b/users/dora')).status).toBe(404);
    expect((await call('organisation', 'GET', `${URL}/dora`)).status).toBe(200);
  });

  test('who is removed loses the keys in this workspace, and those of others stay', async () => {
    await add('eve');
    const [own, other, elsewhere] = [await makeKey('eve'), await makeKey('fay'), await makeKey('eve', 'team-b')];
    reports.length = 0;
    expect((await call('a', 'DELETE', `${URL}/eve`)).status).toBe(200);
    expect(await management.store.get(own)).toBeUndefined();
    expect(await management.store.get(other)).toBeDefined();
    expect(await management.store.get(elsewhere)).toBeDefined();
    const [{ changes } = { changes: [] }] = reports;
    expect(changes.map(({ action, kind }) => `${action} ${kind}`)).toEqual(['delete ApiKey', 'delete WorkspaceMember']);
    expect(changes[0]?.before).toMatchObject({ user: 'eve', sha256: '********' });
    expect(changes[1]).toMatchObject({ before: { user: 'eve', role: 'member' }, after: null });
  });
});

describe('people who change members', () => {
  beforeAll(async () => {
    for (const role of WORKSPACE_ROLES) await add(role, role);
  });

  test.for([
    {
      rule: 'a manager makes an admin',
      key: 'manager',
      method: 'POST',
      path: '',
      body: { users: [{ id: 'x', role: 'admin' }] },
    },
    {
      rule: 'a manager makes themselves admin',
      key: 'manager',
      method: 'PUT',
      path: '/manager',
      body: { role: 'admin' },
    },
    { rule: 'a manager changes an admin', key: 'manager', method: 'PUT', path: '/admin', body: { role: 'member' } },
    { rule: 'a manager removes an admin', key: 'manager', method: 'DELETE', path: '/admin' },
    { rule: 'an admin removes themselves', key: 'admin', method: 'DELETE', path: '/admin' },
    {
      rule: 'a member adds somebody',
      key: 'member',
      method: 'POST',
      path: '',
      body: { users: [{ id: 'x', role: 'member' }] },
    },
  ] as const)('are refused: $rule', async ({ key, method, path, ...rest }) => {
    const body = 'body' in rest ? rest.body : undefined;
    expect((await call(`key-of-${key}`, method, `${URL}${path}`, body)).body).toMatchObject({ errorCode: 'AB03' });
    expect((await call('a', 'GET', `${URL}/admin`)).body).toMatchObject({ role: 'admin' });
  });

  test('make managers and members as managers, and admins as admins', async () => {
    expect((await add('gus', 'manager', 'key-of-manager')).status).toBe(200);
    expect((await add('hal', 'admin', 'key-of-admin')).status).toBe(200);
    expect((await call('key-of-admin', 'DELETE', `${URL}/hal`)).status).toBe(200);
  });
});
