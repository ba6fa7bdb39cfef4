/** What people may do: one table for the organisation and for workspaces. docs/behaviour/people.md */
import type { RoleToggle } from './parts/index.ts';
import { SCOPES } from './scopes.ts';

export const ORGANISATION_ROLES = ['owner', 'admin', 'member'] as const;
export type OrganisationRole = (typeof ORGANISATION_ROLES)[number];

export const WORKSPACE_ROLES = ['admin', 'manager', 'member'] as const;
export type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];

/** Always, never, or as the toggle says. */
type Right = boolean | RoleToggle;

export interface RightRow {
  readonly scopes: readonly string[];
  /** Admins of a workspace have every right in it. */
  readonly manager: Right;
  readonly member: Right;
}

const of = (actions: string, ...resources: string[]): readonly string[] =>
  resources.flatMap((resource) => actions.split(' ').map((action) => `${resource}.${action}`));

const VIEW = 'read list';
const WRITE = 'create update delete';
const ORGANISATION_LISTS = [
  'organisation_integrations',
  'organisation_mcp_integrations',
  'organisation_agent_integrations',
];

/** Rows of the request log, and what was said. */
const LOG_ROWS = ['logs.list'];
const LOG_CONTENTS = of('view read export', 'logs');

/** Every scope that a workspace has, once. */
export const WORKSPACE_RIGHTS: readonly RightRow[] = [
  {
    scopes: [
      ...of('write read', 'completions', 'feedbacks'),
      ...of('invoke', 'guardrails', 'mcp', 'agents'),
      ...['models.list', 'prompts.render', 'logs.write'],
    ],
    manager: true,
    member: true,
  },
  {
    scopes: [
      ...of(VIEW, 'workspaces', 'workspace_users', 'configs', 'policies', 'mcp_servers', 'agent_servers'),
      ...of(VIEW, 'workspace_integrations', 'workspace_mcp_integrations', 'workspace_agent_integrations'),
      ...of('list', ...ORGANISATION_LISTS),
    ],
    manager: true,
    member: true,
  },
  {
    scopes: [
      ...['workspaces.update'],
      ...of(WRITE, 'workspace_users', 'configs', 'policies', 'workspace_agent_integrations', 'agent_servers'),
    ],
    manager: true,
    member: false,
  },
  { scopes: LOG_ROWS, manager: 'managersViewLogMetadata', member: 'membersViewLogMetadata' },
  { scopes: LOG_CONTENTS, manager: 'managersViewLogs', member: 'membersViewLogs' },
  { scopes: of('view', 'analytics'), manager: 'managersViewAnalytics', member: 'membersViewAnalytics' },
  { scopes: of(VIEW, 'prompts'), manager: 'managersViewPrompts', member: 'membersViewPrompts' },
  { scopes: of(`${WRITE} publish`, 'prompts'), manager: 'managersWritePrompts', member: 'membersWritePrompts' },
  { scopes: of(VIEW, 'guardrails'), manager: 'managersViewGuardrails', member: 'membersViewGuardrails' },
  { scopes: of(WRITE, 'guardrails'), manager: 'managersWriteGuardrails', member: false },
  { scopes: of(VIEW, 'providers', 'virtual_keys'), manager: 'managersViewProviders', member: 'membersViewProviders' },
  {
    scopes: [...of(WRITE, 'providers', 'virtual_keys'), ...of('duplicate copy', 'virtual_keys')],
    manager: 'managersManageProviders',
    member: false,
  },
  { scopes: of(WRITE, 'workspace_integrations'), manager: 'managersWriteWsIntegrations', member: false },
  { scopes: of(WRITE, 'workspace_mcp_integrations'), manager: 'managersWriteWsMcpIntegrations', member: false },
  { scopes: of(WRITE, 'mcp_servers'), manager: 'managersWriteMcpServers', member: false },
  { scopes: of(VIEW, 'workspace_service_api_keys'), manager: 'managersViewApiKeys', member: false },
  { scopes: of(`${WRITE} rotate`, 'workspace_service_api_keys'), manager: 'managersManageApiKeys', member: false },
  { scopes: of(VIEW, 'workspace_user_api_keys'), manager: 'managersViewApiKeys', member: 'membersViewApiKeys' },
  {
    scopes: of(`${WRITE} rotate`, 'workspace_user_api_keys'),
    manager: 'managersManageApiKeys',
    member: 'membersManageApiKeys',
  },
];

/** Toggles that are off where nobody sets them. */
const OFF: ReadonlySet<RoleToggle> = new Set(['membersWritePrompts', 'membersManageApiKeys']);

export interface ToggleSetting {
  readonly name: RoleToggle;
  readonly enabled: boolean;
}

/** Toggles by name: those of the workspace go before those of the organisation. */
export type Toggles = ReadonlyMap<RoleToggle, boolean>;

export const togglesFrom = (
  organisation: readonly ToggleSetting[] | undefined,
  workspace: readonly ToggleSetting[] | undefined,
): Toggles => new Map([...(organisation ?? []), ...(workspace ?? [])].map(({ name, enabled }) => [name, enabled]));

const holds = (right: Right, toggles: Toggles): boolean =>
  typeof right === 'boolean' ? right : (toggles.get(right) ?? !OFF.has(right));

/** What a member of a workspace may do in it. */
export function scopesOfMember(role: WorkspaceRole, toggles: Toggles): ReadonlySet<string> {
  const rows = role === 'admin' ? WORKSPACE_RIGHTS : WORKSPACE_RIGHTS.filter((row) => holds(row[role], toggles));
  return new Set(rows.flatMap(({ scopes }) => scopes));
}

/** What admins of the organisation lose with a toggle. */
const OF_ADMINS: readonly (readonly [RoleToggle, readonly string[]])[] = [
  ['orgAdminsViewLogMetadata', LOG_ROWS],
  ['orgAdminsViewLogs', LOG_CONTENTS],
];

/** What a person may do in the organisation and in every workspace; members of it get their rights from workspaces. */
export function scopesOfPerson(role: OrganisationRole, toggles: Toggles): ReadonlySet<string> {
  if (role === 'member') return new Set();
  const off = role === 'admin' ? OF_ADMINS.filter(([name]) => toggles.get(name) === false) : [];
  const lost = new Set(off.flatMap(([, scopes]) => scopes));
  return new Set(SCOPES.keys()).difference(lost);
}
