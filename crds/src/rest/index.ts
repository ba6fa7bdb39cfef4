/** The management API as the contract knows it: docs/behaviour/management.md. */
export { REST_ERRORS, type RestErrorName, type RestErrorRow } from './errors.ts';
export { defineOperation, type RestMethod, type RestOperation } from './operation.ts';
export { ratePolicies } from './policies.ts';

/**
 * First path segments under `/v1` that belong to the management API. They are reserved: until the management API serves them they
 * are answered with 404 and never proxied to a provider.
 */
export const MANAGEMENT_PREFIXES: ReadonlySet<string> = new Set([
  'admin',
  'analytics',
  'api-keys',
  'audit-logs',
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
