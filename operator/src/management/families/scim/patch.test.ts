import { scimUsers } from '@gatehouse/crds/rest';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RestError } from '../../http/rest-error.ts';
import { changesOfBody, changesOfPatch } from './changes.ts';
import { applyToGroup, type GroupDraft, MAX_MEMBERS, NEW_GROUP } from './group-draft.ts';
import { applyToUser, emailOf, NEW_USER, type UserDraft } from './user-draft.ts';

const ADA: UserDraft = {
  ...{ userName: 'ada', externalId: 'x-1', displayName: 'Ada L', givenName: 'Ada', familyName: 'L' },
  ...{ active: true, email: 'ada@example.com', role: 'member' },
};
const operations = (...all: readonly object[]) =>
  changesOfPatch(scimUsers.patch.body.parse({ Operations: all.map((one) => ({ ...one })) }));
const user = (...all: readonly object[]): UserDraft => applyToUser(ADA, operations(...all));
const group = (draft: GroupDraft, ...all: readonly object[]): GroupDraft => applyToGroup(draft, operations(...all));

function problemOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return error instanceof RestError ? error.details.scimType : 'no RestError';
  }
  return undefined;
}

describe('a change of a user', () => {
  test.for<{ rule: string; ops: readonly object[]; want: Partial<UserDraft> }>([
    { rule: 'by a path', ops: [{ op: 'replace', path: 'name.givenName', value: 'Eve' }], want: { givenName: 'Eve' } },
    {
      rule: 'with a name in upper case',
      ops: [{ op: 'Replace', path: 'ACTIVE', value: 'False' }],
      want: { active: false },
    },
    { rule: 'without a path', ops: [{ op: 'replace', value: { active: false } }], want: { active: false } },
    {
      rule: 'without a path, with paths as members',
      ops: [{ op: 'Add', value: { 'name.familyName': 'B', displayName: 'AB', title: 'Dr' } }],
      want: { familyName: 'B', displayName: 'AB' },
    },
    {
      rule: 'by the URN of the schema',
      ops: [{ op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:userName', value: 'eve' }],
      want: { userName: 'eve' },
    },
    {
      rule: 'of the address of work',
      ops: [{ op: 'replace', path: 'emails[type eq "work"].value', value: 'Eve@Example.com' }],
      want: { email: 'eve@example.com' },
    },
    {
      rule: 'of another address',
      ops: [{ op: 'add', path: 'emails[type eq "home"].value', value: 'h@x.org' }],
      want: {},
    },
    {
      rule: 'of a list of addresses',
      ops: [{ op: 'replace', path: 'emails', value: [{ value: 'a@x.org' }, { value: 'b@x.org', primary: 'True' }] }],
      want: { email: 'b@x.org' },
    },
    { rule: 'that removes', ops: [{ op: 'remove', path: 'externalId' }], want: { externalId: undefined } },
    { rule: 'of a role', ops: [{ op: 'add', path: 'roles', value: [{ value: 'Admin' }] }], want: { role: 'admin' } },
    {
      rule: 'of a role that is none',
      ops: [{ op: 'add', path: 'roles', value: [{ value: 'Reader' }] }],
      want: { role: 'member' },
    },
    {
      rule: 'of what is not kept',
      ops: [
        { op: 'add', path: 'title', value: 'Dr' },
        { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'R' },
        { op: 'add', path: 'phoneNumbers[type eq "work"].value', value: '1' },
      ],
      want: {},
    },
    { rule: 'with a name of Object', ops: [{ op: 'add', value: { constructor: 1, toString: 2 } }], want: {} },
  ])('$rule', ({ ops, want }) => {
    expect(user(...ops)).toEqual({ ...ADA, ...want });
  });

  test.for([
    { rule: 'an unknown operation', op: { op: 'move', path: 'active', value: true }, want: 'invalidSyntax' },
    { rule: 'an unknown path', op: { op: 'add', path: 'favourite', value: 1 }, want: 'invalidPath' },
    { rule: 'a path of Object', op: { op: 'add', path: 'constructor', value: 1 }, want: 'invalidPath' },
    { rule: 'a path that is none', op: { op: 'add', path: 'a b', value: 1 }, want: 'invalidPath' },
    { rule: 'a filter that is none', op: { op: 'add', path: 'emails[type co "w"]', value: 1 }, want: 'invalidFilter' },
    { rule: 'a flag that is none', op: { op: 'replace', path: 'active', value: 'maybe' }, want: 'invalidValue' },
    { rule: 'an address that is none', op: { op: 'replace', path: 'emails', value: 'x' }, want: 'invalidValue' },
    { rule: 'a text that is none', op: { op: 'replace', path: 'userName', value: 1 }, want: 'invalidValue' },
    {
      rule: 'a text that is too long',
      op: { op: 'replace', path: 'userName', value: 'a'.repeat(256) },
      want: 'invalidValue',
    },
    {
      rule: 'a character that no text has',
      op: { op: 'replace', path: 'userName', value: 'a\0' },
      want: 'invalidValue',
    },
    { rule: 'nothing to remove', op: { op: 'remove' }, want: 'noTarget' },
    { rule: 'active removed', op: { op: 'remove', path: 'active' }, want: 'mutability' },
    { rule: 'no object', op: { op: 'add', value: 'x' }, want: 'invalidValue' },
  ])('with $rule is refused', ({ op, want }) => {
    expect(problemOf(() => user(op))).toBe(want);
  });

  test('leaves what it does not name, in any order of operations', () => {
    const one = fc.constantFrom(
      { op: 'replace', path: 'displayName', value: 'X' },
      { op: 'replace', path: 'name.givenName', value: 'Y' },
      { op: 'add', path: 'externalId', value: 'Z' },
    );
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 6 }), (ops) => {
        const { displayName: _, givenName: __, externalId: ___, ...rest } = user(...ops);
        const { displayName: _a, givenName: _b, externalId: _c, ...before } = ADA;
        expect(rest).toEqual(before);
      }),
    );
  });
});

test('a body says the same in upper and lower case, and what it lacks is not there', () => {
  const draft = applyToUser(
    NEW_USER,
    changesOfBody({ USERNAME: 'Eve@Example.com', Name: { GivenName: 'Eve' }, password: 'p', schemas: [] }),
  );
  expect(draft).toEqual({ ...NEW_USER, userName: 'Eve@Example.com', givenName: 'Eve' });
  expect(emailOf(draft)).toBe('eve@example.com');
  expect(problemOf(() => emailOf({ ...NEW_USER, userName: 'eve' }))).toBe('invalidValue');
});

describe('a change of a group', () => {
  const G: GroupDraft = { displayName: 'G', externalId: undefined, members: new Set(['a', 'b']) };
  test.for<{ rule: string; op: object; want: readonly string[] }>([
    {
      rule: 'adds',
      op: { op: 'Add', path: 'members', value: [{ value: 'C' }, { value: 'a' }] },
      want: ['a', 'b', 'c'],
    },
    {
      rule: 'adds one that is no list',
      op: { op: 'add', path: 'members', value: { value: 'c' } },
      want: ['a', 'b', 'c'],
    },
    { rule: 'removes by its path', op: { op: 'remove', path: 'members[value eq "A"]' }, want: ['b'] },
    { rule: 'removes several', op: { op: 'remove', path: 'members[value eq "a" or value eq "b"]' }, want: [] },
    { rule: 'removes by its value', op: { op: 'Remove', path: 'members', value: [{ value: 'b' }] }, want: ['a'] },
    { rule: 'removes all', op: { op: 'remove', path: 'members' }, want: [] },
    { rule: 'replaces', op: { op: 'replace', path: 'members', value: [{ value: 'c' }] }, want: ['c'] },
    { rule: 'replaces without a path', op: { op: 'replace', value: { id: 'x', members: [] } }, want: [] },
    { rule: 'leaves', op: { op: 'replace', value: { id: 'x', displayName: 'H' } }, want: ['a', 'b'] },
  ])('$rule', ({ op, want }) => {
    expect([...group(G, op).members].sort()).toEqual(want);
  });

  test.for([
    { rule: 'another filter', op: { op: 'remove', path: 'members[display eq "a"]' }, want: 'invalidPath' },
    {
      rule: 'a member without an id',
      op: { op: 'add', path: 'members', value: [{ display: 'a' }] },
      want: 'invalidValue',
    },
    { rule: 'a part of a member', op: { op: 'replace', path: 'members[value eq "a"]', value: 1 }, want: 'invalidPath' },
    { rule: 'an unknown path', op: { op: 'add', path: 'colour', value: 1 }, want: 'invalidPath' },
  ])('with $rule is refused', ({ op, want }) => {
    expect(problemOf(() => group(G, op))).toBe(want);
  });

  test('has a bound on members, in one operation and in all', () => {
    const ids = (from: number, count: number) => Array.from({ length: count }, (_, i) => ({ value: `u${from + i}` }));
    const full = group(NEW_GROUP, { op: 'add', path: 'members', value: ids(0, MAX_MEMBERS) });
    expect(full.members.size).toBe(MAX_MEMBERS);
    expect(problemOf(() => group(full, { op: 'add', path: 'members', value: ids(MAX_MEMBERS, 1) }))).toBe(
      'invalidValue',
    );
    expect(problemOf(() => group(NEW_GROUP, { op: 'add', path: 'members', value: ids(0, MAX_MEMBERS + 1) }))).toBe(
      'invalidValue',
    );
  });
});
