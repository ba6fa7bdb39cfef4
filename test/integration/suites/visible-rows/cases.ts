/** Who sees which rows of a request log: the callers, the rows, and what each caller sees with which toggles. */
import type { RoleToggle } from '@gatehouse/crds/kinds';
import type { LogRow } from '@gatehouse/crds/logs';
import type { Caller } from '../../../../operator/src/management/index.ts';
import { logRow } from '../../../kit/log-row.ts';

/** The time of the management API. */
export const NOW = Date.UTC(2027, 0, 1, 12);

const caller = (over: Partial<Caller>): Caller => ({
  ...{ keyId: 'key/team-a/service', keyName: 'service', type: 'workspace-service', workspace: 'team-a' },
  user: undefined,
  scopes: new Set(['logs.view', 'logs.list', 'logs.export', 'analytics.view', 'feedbacks.write']),
  expiresAtMs: Number.POSITIVE_INFINITY,
  ...over,
});
const keyOf = (user: string): Caller => caller({ type: 'workspace-user', keyId: `key/team-a/${user}`, user });

export const CALLERS = {
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
export type CallerName = keyof typeof CALLERS;

/** The same callers, with keys that read sums alone. */
export const OF_SUMS = {
  'service key': caller({ keyId: 'key/team-a/sums', scopes: new Set(['analytics.view']) }),
  'key of a member': { ...CALLERS['key of a member'], scopes: new Set(['analytics.view']) },
} as const satisfies Partial<Record<CallerName, Caller>>;
export const sumsOf = (name: string): string => `${name}, sums alone`;

/** Keys with no scope that reads what others have made, and the row of each. */
export const OF_OWN_CALLS = {
  'key of a service that only calls': {
    caller: caller({ scopes: new Set(['completions.write']) }),
    row: 'service',
  },
  'key of a member that only calls': {
    caller: { ...keyOf('member@example.com'), keyId: 'key/team-a/n', scopes: new Set(['completions.write']) },
    row: 'member',
  },
} as const satisfies Record<string, { readonly caller: Caller; readonly row: RowName }>;

const row = (trace: string, over: Partial<LogRow>): LogRow =>
  logRow({ created_at: NOW - 60_000, trace_id: trace, metadata: { team: 'red' }, ...over });
const byMember = { key_user: 'member@example.com' };

/** No two sets of them have the same average time. */
export const ROWS = {
  service: row('t-service', { api_key: 'key/team-a/service', end_user: 'ann', response_ms: 1, cache: 'HIT' }),
  manager: row('t-manager', {
    ...{ api_key: 'key/team-a/m', key_user: 'manager@example.com', end_user: 'bob' },
    ...{ response_ms: 20, status: 500 },
  }),
  member: row('t-member', {
    ...{ api_key: 'key/team-a/n', ...byMember, end_user: 'cid', response_ms: 400, retries: 1, cache: 'SEMANTIC HIT' },
  }),
  'member by id': row('t-member-id', {
    ...{ api_key: 'key/team-a/o', key_user: 'id-of-member', end_user: 'dan', response_ms: 8_000, fell_back: true },
  }),
  theirs: row('t-theirs', {
    ...{ workspace: 'team-b', api_key: 'key/team-b/service', ...byMember, end_user: 'eve' },
    ...{ response_ms: 160_000, status: 429 },
  }),
  'theirs of the same trace': row('t-member', {
    ...{ workspace: 'team-b', api_key: 'key/team-b/o', ...byMember, end_user: 'fay', response_ms: 3_200_000 },
    ...{ retries: 2, fell_back: true },
  }),
} as const satisfies Record<string, LogRow>;
export type RowName = keyof typeof ROWS;
export const NAMES = Object.keys(ROWS) as RowName[]; // of the object above

const TEAM_A: readonly RowName[] = ['service', 'manager', 'member', 'member by id'];
export const TEAM_B: readonly RowName[] = ['theirs', 'theirs of the same trace'];

export interface Toggled {
  readonly off: readonly RoleToggle[];
  readonly sees: Readonly<Partial<Record<CallerName, readonly RowName[]>>>;
}

const UNRESTRICTED = {
  'service key': TEAM_A,
  'service key of another workspace': TEAM_B,
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

const BOTH = ['managersViewAllData', 'membersViewAllData'] as const;

export const MATRIX: readonly Toggled[] = [
  { off: [], sees: UNRESTRICTED },
  { off: ['membersViewAllData'], sees: { ...UNRESTRICTED, ...MEMBERS } },
  { off: ['managersViewAllData'], sees: { ...UNRESTRICTED, 'key of a manager': ['manager'] } },
  { off: BOTH, sees: { ...UNRESTRICTED, ...MEMBERS, 'key of a manager': ['manager'] } },
];

const { 'service key': ofService, 'key of the organisation': ofOrganisation } = UNRESTRICTED;
/** One case of each thing that a store of rows is asked for: those of a workspace, of all, of a person with one name, with two, and none. */
export const ONE_OF_EACH: readonly Toggled[] = [
  { off: [], sees: { 'service key': ofService, 'key of the organisation': ofOrganisation } },
  { off: BOTH, sees: MEMBERS },
];
