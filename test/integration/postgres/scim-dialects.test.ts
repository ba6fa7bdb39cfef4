/** SCIM 2.0 as two directories speak it. Source: the requests that their makers document. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { GROUP, idOf, USER, useDirectory } from './scim-directory.ts';

const directory = useDirectory();
const { org, scim, patch, found, makeUser, makeGroup, map, membersOf } = directory;

test('a directory like Entra ID provisions, moves and removes a person', async () => {
  const upn = 'ada@contoso.example';
  expect(await found('/Users', `userName eq "${upn}"`)).toMatchObject({ totalResults: 0, Resources: [] });
  const ada = await makeUser(upn, {
    ...{ schemas: [USER, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'], externalId: 'ada-mail' },
    ...{ active: true, emails: [{ primary: true, type: 'work', value: upn }], meta: { resourceType: 'User' } },
    ...{ name: { formatted: 'Ada L', familyName: 'L', givenName: 'Ada' }, roles: [] },
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'R&D' },
  });
  expect(await found('/Groups', 'displayName eq "Admins"', '&excludedAttributes=members')).toMatchObject({
    totalResults: 0,
  });
  const groups: string[] = [];
  for (const displayName of ['Admins', 'Staff']) {
    const body = { schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'] };
    const made = await scim('POST', '/Groups', { ...body, externalId: randomUUID(), displayName, meta: {} });
    groups.push(idOf(made));
  }
  const [admins = '', staff = ''] = groups;
  await map('team-a', 'admin', admins);
  await map('team-a', 'member', staff);
  const add = (group: string) =>
    patch(`/Groups/${group}`, { op: 'Add', path: 'members', value: [{ $ref: null, value: ada }] });
  expect((await add(staff)).status).toBe(204);
  expect(await membersOf('team-a')).toEqual({ [ada]: 'member by scim' });
  await add(admins);
  expect(await membersOf('team-a')).toEqual({ [ada]: 'admin by scim' });
  expect(await found('/Groups', `id eq "${admins}" and members eq "${ada}"`)).toMatchObject({ totalResults: 1 });
  await patch(`/Groups/${admins}`, { op: 'Remove', path: 'members', value: [{ $ref: null, value: ada }] });
  expect(await membersOf('team-a')).toEqual({ [ada]: 'member by scim' });
  const changed = await patch(
    `/Users/${ada}`,
    { op: 'Replace', path: 'emails[type eq "work"].value', value: 'ada.l@contoso.example' },
    { op: 'Add', path: 'name.familyName', value: 'Lovelace' },
    { op: 'Replace', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'X' },
  );
  expect(changed.body).toMatchObject({
    userName: upn,
    name: { familyName: 'Lovelace' },
    emails: [{ value: 'ada.l@contoso.example' }],
  });
  const off = await patch(`/Users/${ada}`, { op: 'Replace', path: 'active', value: 'False' });
  expect(off.body).toMatchObject({ active: false });
  expect(await membersOf('team-a')).toEqual({});
  expect((await scim('DELETE', `/Users/${ada}`)).status).toBe(204);
});

test('a directory like Okta provisions, renames and removes a person', async () => {
  expect((await scim('GET', '/ServiceProviderConfig')).body).toMatchObject({ patch: { supported: true } });
  const email = 'bob@okta.example';
  expect(await found('/Users', `userName eq "${email}"`, '&startIndex=1&count=100')).toMatchObject({ Resources: [] });
  const bob = await makeUser(email, {
    ...{ name: { givenName: 'Bob', familyName: 'B' }, emails: [{ primary: true, value: email, type: 'work' }] },
    ...{ displayName: 'Bob B', locale: 'en-US', externalId: '00u1', groups: [], password: '1mz050nq', active: true },
  });
  const group = await makeGroup('Engineering', [bob]);
  await map('team-b', 'manager', group);
  expect(await membersOf('team-b')).toEqual({ [bob]: 'manager by scim' });
  const renamed = { op: 'replace', value: { id: group, displayName: 'Engineers' } };
  expect((await patch(`/Groups/${group}`, renamed)).status).toBe(204);
  expect((await org('GET', '/scim/workspaces')).body).toMatchObject({ mappings: [{ scim_group: 'Engineers' }] });
  const members = [{ value: bob, display: email }];
  await patch(`/Groups/${group}`, { op: 'replace', path: 'members', value: members });
  const body = (await scim('GET', `/Users/${bob}`)).body;
  expect((await scim('PUT', `/Users/${bob}`, { ...body, active: false })).body).toMatchObject({ active: false });
  expect(await membersOf('team-b')).toEqual({});
  const back = await patch(`/Users/${bob}`, { op: 'replace', value: { active: true } });
  expect(back.body).toMatchObject({ active: true, name: { givenName: 'Bob' } });
  expect(await membersOf('team-b')).toEqual({ [bob]: 'manager by scim' });
});
