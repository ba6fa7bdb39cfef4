/** SCIM 2.0: accounts, groups and the token. Source: RFC 7643 and RFC 7644. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { toAuditRecord } from '../../../operator/src/management/index.ts';
import { createTestManagement } from '../../../operator/src/management/testing.ts';
import { ERROR, GROUP, idOf, USER, useDirectory } from './scim-directory.ts';

const directory = useDirectory();
const { org, scim, patch, found, makeUser, makeGroup, map, membersOf, makeKey, keysIn } = directory;

describe('the token', () => {
  test('is accepted by SCIM alone, and ends with the next one', async () => {
    expect(directory.token).toMatch(/^gws_[\w-]{43}$/);
    expect(await scim('GET', '/Users')).toMatchObject({ status: 200, type: 'application/scim+json; charset=utf-8' });
    expect((await directory.management.call(directory.token, 'GET', '/admin/users')).status).toBe(401);
    const shown = await org('GET', '/scim/token');
    expect(shown.body).toEqual({ object: 'scim_token', created_at: expect.any(String), created_by: 'key' });
    const before = directory.token;
    directory.token = String((await org('POST', '/scim/token')).body['token']);
    expect((await scim('GET', '/Users')).status).toBe(200);
    expect((await directory.management.directory(before, 'GET', '/Users')).status).toBe(401);
    expect((await org('DELETE', '/scim/token')).body).toEqual({ success: true });
    expect((await org('DELETE', '/scim/token')).status).toBe(404);
    const kept = await directory.database.use((queries) => queries.selectFrom('scim_tokens').selectAll().execute());
    expect(kept).toEqual([]);
  });

  test('is none of those that a caller makes up, nor a key of the gateway', async () => {
    for (const wrong of [undefined, 'organisation', 'gws_x', `gws_${'a'.repeat(43)}`, `gwi_${'a'.repeat(43)}`]) {
      const answer = await directory.management.directory(wrong, 'GET', '/Users');
      expect(answer).toMatchObject({ status: 401, body: { schemas: [ERROR], status: '401' } });
    }
    expect((await directory.management.call('organisation', 'GET', '/scim/v2/Users')).status).toBe(401);
    expect((await directory.management.call('reader', 'POST', '/scim/token')).status).toBe(403);
  });

  test('is in no audit record, which says that the directory called', async () => {
    const ada = await makeUser('ada@example.com', { password: 'hunter2', externalId: 'x' });
    const records = directory.reports
      .map((report) => toAuditRecord(report, 0))
      .filter((record) => record !== undefined);
    expect(JSON.stringify(records)).not.toMatch(/gws_|hunter2/);
    expect(records.map(({ actor_type, operation }) => `${actor_type} ${operation}`)).toEqual([
      'api_key scim_token.create',
      'scim scim_users.create',
    ]);
    expect(records[1]?.changes).toMatchObject([{ kind: 'User', object: ada, action: 'create' }]);
  });

  test('is on record, and answered as SCIM, where a body cannot be read', async () => {
    const answer = await scim('POST', '/Users', { userName: 'x'.repeat(2 * 1024 * 1024) });
    expect(answer).toMatchObject({ status: 413, type: 'application/scim+json; charset=utf-8' });
    expect(answer.body).toMatchObject({ schemas: [ERROR], status: '413' });
    const [last] = directory.reports.slice(-1).map((report) => toAuditRecord(report, 0));
    expect(last).toMatchObject({ operation: 'scim_users.create', actor_type: 'scim', actor_id: 'scim', status: 413 });
  });
});

describe('a user', () => {
  test('is made, read, found, written anew and deleted', async () => {
    const made = await scim('POST', '/Users', {
      ...{ schemas: [USER], userName: 'Ada', externalId: 'E-1', active: true, displayName: 'Ada L.' },
      ...{ name: { givenName: 'Ada', familyName: 'L' }, emails: [{ value: 'Ada@Example.com', type: 'work' }] },
      ...{ roles: [{ value: 'admin' }], title: 'Dr' },
    });
    const id = idOf(made);
    expect(made).toMatchObject({ status: 201, location: `/v1/scim/v2/Users/${id}` });
    const read = await scim('GET', `/Users/${id}`);
    expect(read.body).toEqual(made.body);
    expect(read.body).toMatchObject({
      ...{ userName: 'Ada', externalId: 'E-1', displayName: 'Ada L.', active: true, groups: [] },
      ...{ name: { formatted: 'Ada L' }, emails: [{ value: 'ada@example.com', primary: true }] },
      ...{ roles: [{ value: 'admin' }], meta: { resourceType: 'User' } },
    });
    for (const filter of [
      'userName eq "ADA"',
      'externalId eq "E-1"',
      'emails.value eq "ADA@example.com"',
      `id eq "${id}"`,
    ]) {
      expect(await found('/Users', filter), filter).toMatchObject({ totalResults: 1, Resources: [{ id }] });
    }
    for (const filter of ['userName eq "ada@example.com"', 'externalId eq "e-1"', 'id eq "1"']) {
      expect(await found('/Users', filter), filter).toMatchObject({ totalResults: 0, Resources: [] });
    }
    const written = await scim('PUT', `/Users/${id}`, { schemas: [USER], userName: 'ada@x.org' });
    expect(written.body).toMatchObject({
      userName: 'ada@x.org',
      emails: [{ value: 'ada@x.org' }],
      name: { formatted: '' },
    });
    expect(written.body).toMatchObject({ active: true, roles: [{ value: 'admin' }] });
    expect(written.body['externalId']).toBeUndefined();
    expect(await scim('DELETE', `/Users/${id}`)).toMatchObject({ status: 204, body: {} });
    expect(await scim('GET', `/Users/${id}`)).toMatchObject({ status: 404, body: { schemas: [ERROR], status: '404' } });
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(404);
  });

  test('is known by one name and one address', async () => {
    await makeUser('ada@example.com');
    for (const other of [
      { userName: 'ADA@example.com' },
      { userName: 'eve', emails: [{ value: 'ada@example.com' }] },
    ]) {
      expect(await scim('POST', '/Users', other)).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
    }
    const answers = await Promise.all(Array.from({ length: 6 }, () => scim('POST', '/Users', { userName: 'f@x.org' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  test('that was invited is found by the address, and taken over', async () => {
    const { body } = await org('POST', '/admin/users/invites', { email: 'eve@x.org', role: 'member', workspaces: [] });
    const invited = String(body['invite_link']).split('#')[1];
    await directory.management.call(undefined, 'POST', '/admin/users/invites/accept', { token: invited });
    const { Resources } = await found('/Users', 'userName eq "Eve@x.org"');
    const [{ id } = { id: '' }] = Resources as { id: string }[];
    expect((await patch(`/Users/${id}`, { op: 'add', path: 'externalId', value: 'E-2' })).body).toMatchObject({
      ...{ id, externalId: 'E-2', userName: 'eve@x.org' },
    });
  });

  test.for([
    { rule: 'no name', body: {}, scimType: 'invalidValue' },
    { rule: 'no address', body: { userName: 'ada' }, scimType: 'invalidValue' },
    { rule: 'a name that is none', body: { userName: { a: 1 } }, scimType: 'invalidValue' },
    { rule: 'a flag that is none', body: { userName: 'a@x.org', active: 'yes' }, scimType: 'invalidValue' },
    { rule: 'no JSON', body: '{"userName":', scimType: 'invalidValue' },
  ])('with $rule is refused', async ({ body, scimType }) => {
    expect(await scim('POST', '/Users', body)).toMatchObject({ status: 400, body: { schemas: [ERROR], scimType } });
  });

  test('is in pages that count from one', async () => {
    for (const name of ['a', 'b', 'c']) await makeUser(`${name}@x.org`);
    const page = await scim('GET', '/Users?startIndex=2&count=1&attributes=userName');
    expect(page.body).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 });
    expect(page.body['Resources']).toEqual([
      { schemas: [USER], id: expect.any(String), userName: expect.stringMatching(/^[abc]@x\.org$/) },
    ]);
    const names: unknown[] = [];
    for (const at of [1, 2, 3, 4]) {
      const { Resources } = (await scim('GET', `/Users?startIndex=${at}&count=1`)).body;
      names.push(...(Resources as { userName: string }[]).map(({ userName }) => userName));
    }
    expect(names.sort()).toEqual(['a@x.org', 'b@x.org', 'c@x.org']);
    expect((await scim('GET', '/Users?count=0')).body).toMatchObject({ totalResults: 3, Resources: [] });
    expect((await scim('GET', '/Users?startIndex=-1&count=100000')).body).toMatchObject({
      startIndex: 1,
      itemsPerPage: 3,
    });
    expect(await scim('GET', '/Users?filter=userName%20co%20%22a%22')).toMatchObject({
      ...{ status: 400, body: { scimType: 'invalidFilter' } },
    });
    expect((await scim('GET', '/Users?startIndex=x')).status).toBe(400);
  });

  test('that is the last owner stays one, and active', async () => {
    const id = await makeUser('ada@x.org', { roles: [{ value: 'owner', primary: true }] });
    expect((await patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })).status).toBe(409);
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(409);
    await makeUser('bob@x.org', { roles: ['owner'] });
    expect((await patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })).status).toBe(200);
  });
});

describe('a group', () => {
  test('gives and takes memberships of its mapping', async () => {
    const [ada, bob] = [await makeUser('ada@x.org'), await makeUser('bob@x.org')];
    const group = await makeGroup('Platform', [ada]);
    await map('team-a', 'manager', group);
    await makeKey(ada);
    expect(await membersOf('team-a')).toEqual({ [ada]: 'manager by scim' });
    expect((await patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: bob }] })).status).toBe(204);
    expect(await membersOf('team-a')).toEqual({ [ada]: 'manager by scim', [bob]: 'manager by scim' });
    await patch(`/Groups/${group}`, { op: 'remove', path: `members[value eq "${ada}"]` });
    expect(await membersOf('team-a')).toEqual({ [bob]: 'manager by scim' });
    expect(await keysIn('team-a')).toEqual([ada]); // without rights: see operator/src/translate
    expect((await scim('DELETE', `/Groups/${group}`)).status).toBe(204);
    expect(await membersOf('team-a')).toEqual({});
    expect(await directory.management.store.list('ScimMapping')).toEqual([]);
  });

  test('that a mapping has named is taken over by its name', async () => {
    const { body } = await org('POST', '/scim/workspaces', {
      ...{ workspace_id: 'team-a', role: 'member', scim_group_name: 'Later' },
    });
    expect(await found('/Groups', 'displayName eq "later"')).toMatchObject({ totalResults: 0 });
    const ada = await makeUser('ada@x.org');
    expect(await makeGroup('LATER', [ada])).toBe(body['scim_group_id']);
    expect(await membersOf('team-a')).toEqual({ [ada]: 'member by scim' });
    expect(await scim('POST', '/Groups', { displayName: 'later' })).toMatchObject({
      ...{ status: 409, body: { scimType: 'uniqueness' } },
    });
  });

  test('has only people who have accounts, or is not written at all', async () => {
    const ada = await makeUser('ada@x.org');
    const group = await makeGroup('Platform', [ada]);
    const unknown = randomUUID();
    for (const value of [unknown, 'not-an-id']) {
      const refused = await patch(
        `/Groups/${group}`,
        { op: 'replace', path: 'displayName', value: 'X' },
        {
          ...{ op: 'add', path: 'members', value: [{ value }] },
        },
      );
      expect(refused).toMatchObject({
        status: 400,
        body: { scimType: 'invalidValue', detail: expect.stringContaining(value) },
      });
    }
    expect((await scim('GET', `/Groups/${group}`)).body).toMatchObject({
      ...{ displayName: 'Platform', members: [{ value: ada, display: 'ada@x.org', type: 'User' }] },
    });
    expect((await scim('GET', `/Users/${ada}`)).body).toMatchObject({
      groups: [{ value: group, display: 'Platform' }],
    });
  });

  test('is written in large steps, and listed without its members where nobody asks', async () => {
    const users = Array.from({ length: 2_500 }, (_, i) => ({ id: randomUUID(), i }));
    const at = new Date(0);
    const row = { first_name: '', last_name: '', role: 'member' as const, active: true, external_id: null };
    const rest = { issuer: null, subject: null, user_name: null, user_name_key: null, display_name: null };
    for (let i = 0; i < users.length; i += 500) {
      const rows = users.slice(i, i + 500).map((user) => ({
        ...{ id: user.id, email: `u${user.i}@x.org`, ...row, ...rest, created_at: at, updated_at: at },
      }));
      await directory.database.use((queries) => queries.insertInto('users').values(rows).execute());
    }
    const group = await makeGroup(
      'All',
      users.map(({ id }) => id),
    );
    const one = (await scim('GET', `/Groups/${group}`)).body;
    expect(one['members']).toHaveLength(users.length);
    const listed = await scim('GET', '/Groups?excludedAttributes=members&count=100');
    expect(listed.body).toMatchObject({ totalResults: 1, Resources: [{ id: group }] });
    expect(JSON.stringify(listed.body)).not.toContain('members');
    await scim('PUT', `/Groups/${group}`, { displayName: 'All', members: [] });
    expect((await scim('GET', `/Groups/${group}`)).body).toMatchObject({ members: [] });
  });

  test('brings nobody back whom the directory has suspended', async () => {
    const ada = await makeUser('ada@x.org', { active: false });
    await map('team-a', 'member', await makeGroup('Platform', [ada]));
    expect(await membersOf('team-a')).toEqual({});
    await patch(`/Users/${ada}`, { op: 'replace', value: { active: true } });
    expect(await membersOf('team-a')).toEqual({ [ada]: 'member by scim' });
  });
});

describe('somebody whom the directory suspends', () => {
  test('loses memberships and keys, but for those of workspaces where somebody has added them', async () => {
    const ada = await makeUser('ada@x.org');
    await org('POST', '/admin/workspaces/team-b/users', { users: [{ id: ada, role: 'admin' }] });
    for (const workspace of ['team-a', 'team-b']) await map(workspace, 'member', await groupNamed(workspace, ada));
    for (const namespace of ['team-a', 'team-b']) await makeKey(ada, namespace);
    await makeKey('ada@x.org');
    await makeKey('bob@x.org');
    await patch(`/Users/${ada}`, { op: 'replace', path: 'active', value: 'False' });
    expect([await membersOf('team-a'), await membersOf('team-b')]).toEqual([{}, { [ada]: 'admin' }]);
    expect([await keysIn('team-a'), await keysIn('team-b')]).toEqual([['bob@x.org'], [ada]]);
  });
  const groupNamed = (name: string, user: string) => makeGroup(name, [user]);

  test('is gone with everything when it is deleted', async () => {
    const ada = await makeUser('ada@x.org');
    const group = await makeGroup('Platform', [ada]);
    await map('team-a', 'member', group);
    await makeKey(ada);
    expect((await scim('DELETE', `/Users/${ada}`)).status).toBe(204);
    expect([await membersOf('team-a'), await keysIn('team-a')]).toEqual([{}, []]);
    expect((await scim('GET', `/Groups/${group}`)).body).toMatchObject({ members: [] });
  });
});

test('what is served is described, below both paths', async () => {
  const schemas = await scim('GET', '/Schemas');
  expect(schemas.body).toMatchObject({ totalResults: 2, Resources: [{ id: USER }, { id: GROUP }] });
  expect((await scim('GET', `/Schemas/${USER}`)).body).toMatchObject({ id: USER, name: 'User' });
  expect((await scim('GET', '/Schemas/other')).status).toBe(404);
  const types = await scim('GET', '/ResourceTypes');
  expect(types.body).toMatchObject({ Resources: [{ endpoint: '/Users' }, { endpoint: '/Groups' }] });
  expect((await scim('GET', '/Bulk')).body).toMatchObject({ schemas: [ERROR], status: '404' });
  expect((await scim('GET', '/../Users')).body).toEqual((await scim('GET', '/Users')).body);
});

test('without a database the directory is told to come again', async () => {
  const bare = await createTestManagement(['organisation_settings']);
  expect(await bare.directory(directory.token, 'GET', '/Users')).toMatchObject({
    status: 503,
    body: { schemas: [ERROR] },
  });
  expect((await bare.call('organisation', 'GET', '/scim/token')).status).toBe(503);
  await bare.close();
});
