/** The scopes of keys. Canonical spelling `resource.action`. */
import { didYouMean, type Suggest } from '../lib/suggestions.ts';

export const API_KEY_TYPES = ['organisation-service', 'workspace-service', 'workspace-user'] as const;
export type ApiKeyType = (typeof API_KEY_TYPES)[number];

const CRUD = ['create', 'read', 'update', 'delete', 'list'] as const;

interface ScopeRow {
  readonly resources: readonly string[];
  readonly actions: readonly string[];
  /** Types of workspace keys that may have it; organisation keys may have every scope. */
  readonly workspaceKeys: 'none' | 'service' | 'service and user';
}

const ROWS: readonly ScopeRow[] = [
  {
    resources: ['organisation_users', 'organisation_guardrails', 'deployments', 'secret_references'],
    actions: CRUD,
    workspaceKeys: 'none',
  },
  { resources: ['organisation_service_api_keys'], actions: [...CRUD, 'rotate'], workspaceKeys: 'none' },
  { resources: ['organisation_settings'], actions: ['read', 'update'], workspaceKeys: 'none' },
  { resources: ['organisation_exclusions'], actions: ['update', 'list'], workspaceKeys: 'none' },
  { resources: ['audit_logs'], actions: ['list'], workspaceKeys: 'none' },
  { resources: ['plugins'], actions: ['create', 'update', 'list'], workspaceKeys: 'none' },
  { resources: ['workspaces'], actions: ['create', 'delete'], workspaceKeys: 'none' },
  { resources: ['workspaces'], actions: ['read', 'update', 'list'], workspaceKeys: 'service and user' },
  {
    resources: ['workspace_service_api_keys', 'workspace_user_api_keys'],
    actions: [...CRUD, 'rotate'],
    workspaceKeys: 'service',
  },
  { resources: ['prompts'], actions: [...CRUD, 'publish', 'render'], workspaceKeys: 'service and user' },
  { resources: ['completions'], actions: ['write', 'read'], workspaceKeys: 'service and user' },
  { resources: ['models'], actions: ['list'], workspaceKeys: 'service and user' },
  { resources: ['guardrails'], actions: [...CRUD, 'invoke'], workspaceKeys: 'service and user' },
  { resources: ['virtual_keys'], actions: [...CRUD, 'duplicate', 'copy'], workspaceKeys: 'service and user' },
  {
    resources: [
      'workspace_users',
      'configs',
      'providers',
      'policies',
      'workspace_integrations',
      'workspace_mcp_integrations',
      'workspace_agent_integrations',
      'mcp_servers',
      'agent_servers',
    ],
    actions: CRUD,
    workspaceKeys: 'service and user',
  },
  {
    resources: ['organisation_integrations', 'organisation_mcp_integrations', 'organisation_agent_integrations'],
    actions: ['create', 'read', 'update', 'delete'],
    workspaceKeys: 'none',
  },
  {
    resources: ['organisation_integrations', 'organisation_mcp_integrations', 'organisation_agent_integrations'],
    actions: ['list'],
    workspaceKeys: 'service and user',
  },
  { resources: ['mcp', 'agents'], actions: ['invoke'], workspaceKeys: 'service and user' },
  { resources: ['analytics'], actions: ['view'], workspaceKeys: 'service and user' },
  { resources: ['logs'], actions: ['export', 'list', 'view', 'write', 'read'], workspaceKeys: 'service and user' },
  { resources: ['feedbacks'], actions: ['read', 'write'], workspaceKeys: 'service and user' },
];

const TYPES_OF: Readonly<Record<ScopeRow['workspaceKeys'], readonly ApiKeyType[]>> = {
  none: ['organisation-service'],
  service: ['organisation-service', 'workspace-service'],
  'service and user': API_KEY_TYPES,
};

/** Every scope by its canonical name, with the key types that may have it. */
export const SCOPES: ReadonlyMap<string, readonly ApiKeyType[]> = new Map(
  ROWS.flatMap(({ resources, actions, workspaceKeys }) =>
    resources.flatMap((resource) =>
      actions.map((action) => [`${resource}.${action}`, TYPES_OF[workspaceKeys]] as const),
    ),
  ).sort(([a], [b]) => (a < b ? -1 : 1)),
);

/** `completions:write` and `completions.write` are the same scope; the dot is canonical. */
export function canonicalScope(scope: string): string {
  return scope.replace(':', '.');
}

/** Why a key of the type cannot have the scope, or undefined. */
export function scopeProblem(scope: string, type: ApiKeyType, suggest?: Suggest): string | undefined {
  const types = SCOPES.get(canonicalScope(scope));
  if (types === undefined) return `unknown scope ${scope}${didYouMean(suggest?.(scope, SCOPES.keys()))}`;
  return types.includes(type) ? undefined : `a key of type ${type} cannot have ${scope}`;
}
