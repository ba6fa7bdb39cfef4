import { describe, expect, test } from 'vitest';
import {
  ROLE_TOGGLES,
  SCOPES,
  scopesOfMember,
  scopesOfPerson,
  togglesFrom,
  UNSUPPORTED,
  WORKSPACE_RIGHTS,
} from './index.ts';

const NONE = togglesFrom(undefined, undefined);
const ofWorkspaces = [...SCOPES].flatMap(([scope, types]) => (types.includes('workspace-service') ? [scope] : []));
const isWithin = (inner: ReadonlySet<string>, outer: ReadonlySet<string>) =>
  [...inner].filter((scope) => !outer.has(scope));

describe('the rights of roles', () => {
  test('are about every scope that keys of workspaces may have, once', () => {
    expect(WORKSPACE_RIGHTS.flatMap(({ scopes }) => scopes).sort()).toEqual(ofWorkspaces);
  });

  test('use every toggle that is not refused', () => {
    const used = new Set(WORKSPACE_RIGHTS.flatMap(({ manager, member }) => [manager, member]));
    const refused = UNSUPPORTED.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
    // Of admins of the organisation, see below; and of rows, which are no scopes.
    const others = /^orgAdmins|ViewAllData$/;
    const expected = ROLE_TOGGLES.filter((name) => !refused.includes(name) && !others.test(name));
    expect([...used].filter((right) => typeof right === 'string').sort()).toEqual([...expected].sort());
  });

  test.for([NONE, new Map(ROLE_TOGGLES.map((name) => [name, true] as const))])(
    'of a member are rights of a manager, whose are rights of an admin',
    (toggles) => {
      const [admin, manager, member] = (['admin', 'manager', 'member'] as const).map((role) =>
        scopesOfMember(role, toggles),
      );
      expect([...(admin ?? [])].sort()).toEqual(ofWorkspaces);
      expect(isWithin(manager ?? new Set(), admin ?? new Set())).toEqual([]);
      expect(isWithin(member ?? new Set(), manager ?? new Set())).toEqual([]);
    },
  );

  test('of a member write nothing that is shared, whatever is switched on but prompts', () => {
    const all = new Map(ROLE_TOGGLES.map((name) => [name, name !== 'membersWritePrompts'] as const));
    const writes = [...scopesOfMember('member', all)].filter((scope) =>
      /\.(create|update|delete|publish)$/.test(scope),
    );
    expect(writes.sort()).toEqual(['create', 'delete', 'update'].map((verb) => `workspace_user_api_keys.${verb}`));
  });

  test('follow the toggle of the workspace, then that of the organisation, then the default', () => {
    const organisation = [
      { name: 'managersViewLogs', enabled: false },
      { name: 'membersViewLogs', enabled: false },
    ] as const;
    const workspace = [{ name: 'managersViewLogs', enabled: true }] as const;
    const toggles = togglesFrom(organisation, workspace);
    expect(scopesOfMember('manager', toggles).has('logs.view')).toBe(true);
    expect(scopesOfMember('member', toggles).has('logs.view')).toBe(false);
    expect(scopesOfMember('member', toggles).has('analytics.view')).toBe(true);
    expect(scopesOfMember('member', toggles).has('prompts.create')).toBe(false);
    expect(scopesOfMember('member', new Map([['membersWritePrompts', true]])).has('prompts.create')).toBe(true);
  });

  test('of the organisation are all for owners and admins, and none for members', () => {
    const hidden = new Map([['orgAdminsViewLogs', false]] as const);
    expect(scopesOfPerson('owner', hidden).size).toBe(SCOPES.size);
    expect(scopesOfPerson('admin', NONE).size).toBe(SCOPES.size);
    expect([...SCOPES.keys()].filter((scope) => !scopesOfPerson('admin', hidden).has(scope))).toEqual([
      ...['logs.export', 'logs.read', 'logs.view'],
    ]);
    const without = scopesOfPerson('admin', new Map([['orgAdminsViewLogMetadata', false]] as const));
    expect([...SCOPES.keys()].filter((scope) => !without.has(scope))).toEqual(['logs.list']);
    expect(scopesOfPerson('member', NONE).size).toBe(0);
  });
});
