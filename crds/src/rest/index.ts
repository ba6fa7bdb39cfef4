/**
 * First path segments under `/v1` that belong to the management API (spec/management-api.yaml). They are reserved from the
 * first day: until served they answer 404 and never fall through to the proxy mode (DESIGN section 2).
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
