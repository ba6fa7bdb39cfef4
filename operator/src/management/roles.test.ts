/** What each role may call, from the table of rights to the answer: docs/behaviour/people.md. */
import {
  API_VERSION,
  ORGANISATION_ROLES,
  type RoleToggle,
  SCOPES,
  scopesOfMember,
  scopesOfPerson,
  type Toggles,
  WORKSPACE_RIGHTS,
  WORKSPACE_ROLES,
} from '@gatehouse/crds/kinds';
import type { RestOperation } from '@gatehouse/crds/rest';
import { goldenCases } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { translate } from '../translate/index.ts';
import { type TestObject, worldOf } from '../translate/test-world.ts';
import { type Caller, callerOfKey, OPERATIONS } from './index.ts';
import { createTestManagement, type TestManagement } from './testing.ts';

const RIGHTS = WORKSPACE_RIGHTS.flatMap(({ manager, member }) => [manager, member]);
const TOGGLES: readonly RoleToggle[] = [
  ...new Set(RIGHTS.filter((right) => typeof right === 'string')),
  'orgAdminsViewLogs',
  'orgAdminsViewLogMetadata',
];
/** Those that a key of a person may name. */
const KEY_SCOPES = [...SCOPES].flatMap(([scope, types]) => (types.includes('workspace-user') ? [scope] : []));

/** A case names what all toggles are; without it they are as nobody has set them. */
const togglesOf = ({ toggles }: Readonly<Record<string, unknown>>): Toggles =>
  new Map(typeof toggles === 'boolean' ? TOGGLES.map((name) => [name, toggles]) : []);

const object = (kind: string, name: string, spec: object, namespace?: string): TestObject => ({
  ...{ apiVersion: API_VERSION, kind, spec },
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
});

/** The holders of keys that name every scope, as the translation of their resources leaves them. */
function keysOf(toggles: Toggles): Readonly<Record<string, Caller>> {
  const roleToggles = [...toggles].map(([name, enabled]) => ({ name, enabled }));
  const shas = new Map(WORKSPACE_ROLES.map((role, i) => [role, String(i).repeat(64)]));
  const { snapshot } = translate(
    worldOf([
      object('Workspace', 'team-a', { namespace: 'team-a', ...(roleToggles.length === 0 ? {} : { roleToggles }) }),
      ...WORKSPACE_ROLES.flatMap((role) => [
        object('WorkspaceMember', role, { user: role, role }, 'team-a'),
        object(
          'ApiKey',
          role,
          { type: 'workspace-user', user: role, sha256: shas.get(role), scopes: KEY_SCOPES },
          'team-a',
        ),
      ]),
    ]),
  );
  const keys = snapshot.entries.filter((entry) => entry.kind === 'key');
  return Object.fromEntries(keys.map((key) => [`workspace ${key.body.user} by key`, callerOfKey(key, '')]));
}

const WHO = [
  ...ORGANISATION_ROLES.map((role) => ({
    who: `organisation ${role}`,
    rights: (now: Toggles) => scopesOfPerson(role, now),
  })),
  ...WORKSPACE_ROLES.map((role) => ({ who: `workspace ${role}`, rights: (now: Toggles) => scopesOfMember(role, now) })),
  ...WORKSPACE_ROLES.map((role) => ({
    who: `workspace ${role} by key`,
    rights: (now: Toggles) => scopesOfMember(role, now).intersection(new Set(KEY_SCOPES)),
  })),
];

/** People themselves, in one of their workspaces. */
const peopleOf = (toggles: Toggles): Readonly<Record<string, Caller>> =>
  Object.fromEntries(
    WHO.map(({ who, rights }): [string, Caller] => [
      who,
      {
        ...{ keyId: who, keyName: who, type: 'workspace-user', workspace: 'team-a', user: who },
        scopes: rights(toggles),
        expiresAtMs: Number.POSITIVE_INFINITY,
      },
    ]),
  );

/** The directory calls its protocol with a token of its own, which is nobody's key. */
const OF_KEYS = OPERATIONS.filter(({ operation }) => operation.protocol === undefined);

describe.for(goldenCases(new URL('./testdata/roles/', import.meta.url)))('with $name', ({ given, check }) => {
  const toggles = togglesOf(given);
  const [people, keys] = [peopleOf(toggles), keysOf(toggles)];
  const callers = { ...people, ...keys };
  let management: TestManagement;
  beforeAll(async () => {
    management = await createTestManagement([], { callers });
  });
  afterAll(() => management.close());

  const isAllowed = async (who: string, { method, path }: RestOperation): Promise<boolean> => {
    const url = path.replace('{workspaceId}', 'team-a').replaceAll(/\{\w+\}/g, 'absent');
    const answer = await management.call(who, method, url, method === 'GET' ? undefined : {});
    expect([401, 500], `${who} ${method} ${path}`).not.toContain(answer.status);
    return !(answer.status === 403 && String(answer.body['message']).includes('needs the scope'));
  };

  test('each role may call what the table gives it, and nothing else', async () => {
    expect(Object.keys(keys)).toHaveLength(WORKSPACE_ROLES.length);
    const allowed: Record<string, string[]> = {};
    for (const { who, rights } of WHO) {
      const held = rights(toggles);
      const names: string[] = [];
      for (const { operation } of OF_KEYS) {
        const { scopes } = operation;
        const may = await isAllowed(who, operation);
        expect(may, `${who} ${operation.id}`).toBe(scopes.length === 0 || scopes.some((scope) => held.has(scope)));
        if (may && scopes.length > 0) names.push(operation.id);
      }
      allowed[who] = names.sort();
    }
    check('allowed', allowed);
  });
});
