/** The management API as the contract knows it: docs/behaviour/management.md. */

export { analytics, analyticsGroups } from './analytics.ts';
export { apiKeys } from './api-keys.ts';
export { AUDIT_ACTIONS, type AuditAction, auditLogs } from './audit-logs.ts';
export { configs } from './configs.ts';
export { REST_ERRORS, type RestErrorName, type RestErrorRow, type RestErrorText, restErrorBody } from './errors.ts';
export { feedback } from './feedback.ts';
export { guardrails } from './guardrails.ts';
export { integrationModels, integrations, integrationWorkspaces } from './integrations.ts';
export { logExports } from './log-exports.ts';
export { logFilters } from './log-filters.ts';
export { LOG_GROUP_COLUMNS, LOG_GROUPS, logGroups } from './log-groups.ts';
export { logs } from './logs.ts';
export { mcpIntegrations } from './mcp-integrations.ts';
export { mcpServers } from './mcp-servers.ts';
export {
  CLIENT_ADDRESS_HEADER,
  defineOperation,
  MAX_REST_BODY_BYTES,
  type RestMethod,
  type RestOperation,
} from './operation.ts';
export { organisation, reference } from './organisation.ts';
export { invites, members, users } from './people.ts';
export { ratePolicies } from './policies.ts';
export { promptCollections } from './prompt-collections.ts';
export { promptLabels } from './prompt-labels.ts';
export { promptPartials } from './prompt-partials.ts';
export { prompts } from './prompts.ts';
export { providers } from './providers.ts';
export { scimGroups, scimMappings, scimToken } from './scim.ts';
export { isScimPath, SCIM_TYPE, scimErrorBody } from './scim-errors.ts';
export { scimDiscovery, scimGroupResources, scimUsers } from './scim-protocol.ts';
export { scopesOf } from './scopes-of.ts';
export { secretReferences } from './secret-references.ts';
export { SESSION_COOKIES } from './session-cookies.ts';
export type { RestSecretMapping } from './shapes.ts';
export { signIn } from './sign-in.ts';
export { usagePolicies } from './usage-policies.ts';
export { virtualKeys } from './virtual-keys.ts';
export { workspaces } from './workspaces.ts';

/**
 * First path segments under `/v1` that belong to the management API. They are reserved: until the management API serves them they
 * are answered with 404 and never proxied to a provider.
 */
export const MANAGEMENT_PREFIXES: ReadonlySet<string> = new Set([
  'admin',
  'analytics',
  'api-keys',
  'audit-logs',
  'auth',
  'collections',
  'configs',
  'feedback',
  'guardrails',
  'integrations',
  'labels',
  'logs',
  'mcp-integrations',
  'mcp-servers',
  'model-configs',
  'openapi.json',
  'otel',
  'policies',
  'prompts',
  'providers',
  'reference',
  'scim',
  'secret-references',
  'virtual-keys',
  'workspace-exclusions',
]);
