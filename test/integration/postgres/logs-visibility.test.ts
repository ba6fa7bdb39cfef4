/** Who sees which rows: every question that is asked of the request log has the same answer to it. */
import { randomUUID } from 'node:crypto';
import type { RoleToggle } from '@gatehouse/crds/kinds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../operator/src/management/index.ts';
import { type RequestLogWorld, record, startRequestLogWorld } from './request-log-world.ts';

const caller = (over: Partial<Caller>): Caller => ({
  ...{ keyId: 'key/team-a/service', keyName: 'service', type: 'workspace-service', workspace: 'team-a' },
  user: undefined,
  scopes: new Set(['logs.view', 'logs.list', 'analytics.view']),
  expiresAtMs: Number.POSITIVE_INFINITY,
  ...over,
});
const keyOf = (user: string): Caller => caller({ type: 'workspace-user', keyId: `key/team-a/${user}`, user });

const CALLERS = {
  'service key': caller({}),
  'service key of another workspace': caller({ keyId: 'key/team-b/service', workspace: 'team-b' }),
  'key of the organisation': caller({ keyId: 'key//admin', type: 'organisation-service', workspace: undefined }),
  'key of an admin': keyOf('admin@example.com'),
  'key of a manager': keyOf('manager@example.com'),
  'key of a member': keyOf('member@example.com'),
  'key of somebody else': keyOf('else@example.com'),
  'session of a member': caller({
    ...{ type: 'workspace-user', keyId: 'id-of-member', keyName: 'member@example.com', user: 'id-of-member' },
    isSession: true,
  }),
  'session of an owner': caller({
    ...{ type: 'organisation-service', keyId: 'id-of-owner', keyName: 'owner@example.com', user: 'id-of-owner' },
    ...{ workspace: undefined, isSession: true },
  }),
} as const satisfies Record<string, Caller>;
type CallerName = keyof typeof CALLERS;

/** The same callers, with keys that read sums alone. */
const OF_SUMS = {
  'service key': caller({ keyId: 'key/team-a/sums', scopes: new Set(['analytics.view']) }),
  'key of a member': { ...CALLERS['key of a member'], scopes: new Set(['analytics.view']) },
} as const satisfies Partial<Record<CallerName, Caller>>;
const sumsOf = (name: string): string => `${name}, sums alone`;

const ROWS = {
  service: record({ trace_id: 't-service', api_key: 'key/team-a/service' }),
  manager: record({ trace_id: 't-manager', api_key: 'key/team-a/m', key_user: 'manager@example.com' }),
  member: record({ trace_id: 't-member', api_key: 'key/team-a/n', key_user: 'member@example.com' }),
  'member by id': record({ trace_id: 't-member-id', api_key: 'key/team-a/o', key_user: 'id-of-member' }),
  theirs: record({
    trace_id: 't-theirs',
    workspace: 'team-b',
    api_key: 'key/team-b/service',
    key_user: 'member@example.com',
  }),
};
type RowName = keyof typeof ROWS;
const NAMES = Object.keys(ROWS) as RowName[]; // of the object above
const TEAM_A: readonly RowName[] = ['service', 'manager', 'member', 'member by id'];

interface Toggled {
  readonly off: readonly RoleToggle[];
  readonly sees: Readonly<Record<CallerName, readonly RowName[]>>;
}

const UNRESTRICTED = {
  'service key': TEAM_A,
  'service key of another workspace': ['theirs'],
  'key of the organisation': NAMES,
  'key of an admin': TEAM_A,
  'key of a manager': TEAM_A,
  'key of a member': TEAM_A,
  'key of somebody else': TEAM_A,
  'session of a member': TEAM_A,
  'session of an owner': NAMES,
} as const satisfies Toggled['sees'];

const MEMBERS = {
  'key of a member': ['member'],
  'key of somebody else': [],
  'session of a member': ['member', 'member by id'],
} as const;

const MATRIX: readonly Toggled[] = [
  { off: [], sees: UNRESTRICTED },
  { off: ['membersViewAllData'], sees: { ...UNRESTRICTED, ...MEMBERS } },
  { off: ['managersViewAllData'], sees: { ...UNRESTRICTED, 'key of a manager': ['manager'] } },
  {
    off: ['managersViewAllData', 'membersViewAllData'],
    sees: { ...UNRESTRICTED, ...MEMBERS, 'key of a manager': ['manager'] },
  },
];

let world: RequestLogWorld;
beforeAll(async () => {
  const ofSums = Object.entries(OF_SUMS).map(([name, one]) => [sumsOf(name), one]);
  world = await startRequestLogWorld({ callers: { ...CALLERS, ...Object.fromEntries(ofSums) } });
  const shared = { end_user: 'eve', metadata: { team: 'red' } };
  await world.write(...Object.values(ROWS).map(({ row, content }) => ({ row: { ...row, ...shared }, content })));
  for (const { row } of Object.values(ROWS)) {
    await world.sql(
      `insert into gateway_logs.feedback (id, workspace, trace_id, value, weight, metadata, created_at, updated_at)
       values ('${randomUUID()}', '${row.workspace}', '${row.trace_id}', 5, 1, '{}', to_timestamp(${row.created_at / 1_000}), now())`,
    );
  }
  for (const role of ['admin', 'manager', 'member'] as const) {
    await world.management.store.create(
      { kind: 'WorkspaceMember', namespace: 'team-a', name: role },
      { spec: { user: `${role}@example.com`, role } },
      { force: false },
    );
  }
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** Toggles of the workspace. */
async function toggle(off: readonly RoleToggle[]): Promise<void> {
  const roleToggles = off.length === 0 ? undefined : off.map((name) => ({ name, enabled: false }));
  const place = { kind: 'Workspace', namespace: undefined, name: 'team-a' } as const;
  const { ok } = await world.management.store.update(place, ({ spec }) => ({ spec: { ...spec, roleToggles } }), {
    force: false,
  });
  expect(ok).toBe(true);
}

type Body = Record<string, unknown>;
const first = (data: unknown): Body => (data as Body[])[0] ?? {};
const totalOf = ({ summary }: Body): unknown => (summary as Body)['total'];

/** Every question, and how many rows its answer is about. */
const QUESTIONS: readonly (readonly [path: string, rowsOf: (body: Body) => unknown])[] = [
  ['/logs', ({ total }) => total],
  ['/logs', ({ data }) => (data as unknown[]).length],
  ['/logs?total_units_min=1', ({ total }) => total],
  ['/logs/groups/model', ({ data }) => first(data)['requests'] ?? 0],
  ['/analytics/graphs/requests', totalOf],
  ['/analytics/graphs/requests?total_units_min=1', totalOf],
  ['/analytics/graphs/cost', (body) => Math.round(Number(totalOf(body)) / 0.037)],
  ['/analytics/graphs/tokens', (body) => Number(totalOf(body)) / 46],
  ['/analytics/graphs/users/requests', totalOf],
  ['/analytics/graphs/feedbacks', totalOf],
  ['/analytics/graphs/feedbacks/scores', totalOf],
  ['/analytics/graphs/feedbacks/ai-models', totalOf],
  ['/analytics/summary/cache', ({ summary }) => (summary as Body)['total_requests']],
  ['/analytics/groups/users', ({ data }) => first(data)['requests'] ?? 0],
  ['/analytics/groups/ai-models', ({ data }) => first(data)['requests'] ?? 0],
  ['/analytics/groups/metadata/team', ({ data }) => first(data)['requests'] ?? 0],
  ['/analytics/groups/metadata/team', ({ data }) => first(data)['requests_with_feedback'] ?? 0],
  ['/analytics/groups/status_code', ({ data }) => first(data)['requests'] ?? 0],
];

/** Rows that the caller may see in the workspace that it names; callers of a workspace see theirs. */
const meant = (name: CallerName, rows: readonly RowName[], named: string | undefined): readonly RowName[] =>
  rows.filter(
    (row) => named === undefined || CALLERS[name].workspace !== undefined || ROWS[row].row.workspace === named,
  );

describe.for(MATRIX)('with $off switched off', ({ off, sees }) => {
  beforeAll(() => toggle(off));
  const callers = Object.keys(sees) as CallerName[]; // of the matrix

  test.for(callers)('%s has the same rows in every answer', async (name) => {
    for (const named of [undefined, 'team-a', 'team-b']) {
      const { length } = meant(name, sees[name], named);
      for (const [path, rowsOf] of QUESTIONS) {
        const query = named === undefined ? '' : `${path.includes('?') ? '&' : '?'}workspace_slug=${named}`;
        const { status, body } = await world.management.call(name, 'GET', `${path}${query}`);
        expect([status, rowsOf(body)], `${path}${query}`).toEqual([200, length]);
      }
    }
  });

  test.for(Object.keys(OF_SUMS) as (keyof typeof OF_SUMS)[])(
    '%s has the same sums without a scope that reads rows',
    async (name) => {
      for (const [path, rowsOf] of QUESTIONS) {
        const { status, body } = await world.management.call(sumsOf(name), 'GET', path);
        if (path.startsWith('/logs')) expect(status, path).toBe(403);
        else expect([status, rowsOf(body)], path).toEqual([200, sees[name].length]);
      }
      const { id } = ROWS.service.row;
      expect((await world.management.call(sumsOf(name), 'GET', `/logs/${id}`)).status).toBe(403);
    },
  );

  test.for(callers)('%s finds the rows that are meant, one by one, and no others', async (name) => {
    const get = (path: string) => world.management.call(name, 'GET', path);
    const { data } = (await get('/logs')).body;
    const ids = (data as { id: string }[]).map(({ id }) => id);
    expect(ids.sort()).toEqual(sees[name].map((row) => ROWS[row].row.id).sort());
    for (const row of NAMES) {
      const { id, trace_id } = ROWS[row].row;
      const isSeen = sees[name].includes(row);
      for (const path of [`/logs/${id}`, `/logs/${trace_id}`, `/logs/${id}?type=hooks`]) {
        expect((await get(path)).status, path).toBe(isSeen ? 200 : 404);
      }
      expect((await get(`/logs?trace_id=${trace_id}`)).body['total'], row).toBe(isSeen ? 1 : 0);
    }
  });
});

test('toggles of the organisation hold where the workspace says nothing', async () => {
  await toggle([]);
  const place = { kind: 'Organisation', namespace: undefined, name: 'default' } as const;
  const spec = { roleToggles: [{ name: 'membersViewAllData', enabled: false }] };
  await world.management.store.create(place, { spec }, { force: false });
  expect((await world.management.call('key of a member', 'GET', '/logs')).body['total']).toBe(1);
  expect((await world.management.call('service key', 'GET', '/logs')).body['total']).toBe(4);
});
