/** The Kinds of the group `gatehouse.dev`: schemas, types, and the parser of resources. */

export { GATEWAY_ADMIN_PORT, GATEWAY_PORT } from './gateway-fleet.ts';
export { MAX_NAMED_USERS } from './guardrail.ts';
export { immutableFields, immutableIssues } from './immutable.ts';
export { MAX_JWKS_KEYS, type PublicJwk, parseJwks } from './jwks.ts';
export { AZURE_VAULT_URL, OWN_IDENTITY_MANAGERS, SECRET_MANAGERS, type SecretManager } from './managers.ts';
export { isMcpGrantedTo } from './mcp-integration.ts';
export { parseResource, unsupportedIn } from './parse.ts';
export {
  type AnyKind,
  API_VERSION,
  CATEGORY,
  type CheckKindOptions,
  type Condition,
  DEFAULT_QUOTA,
  ENDPOINT_TYPES,
  GROUP,
  type KindDefinition,
  MAX_NAMED_COUNTERS,
  MCP_CAPABILITY_TYPES,
  metadataIssues,
  type ObjectMeta,
  objectMeta,
  type PrinterColumn,
  type Quota,
  type RateUnit,
  type Resource,
  ROLE_TOGGLES,
  type RoleToggle,
  readUsage,
  type SecretMapping,
  type UsageRow,
  VERSION,
} from './parts/index.ts';
export {
  type AnyResource,
  type ApiKey,
  type GatewayConfig,
  type GatewayFleet,
  type Guardrail,
  type Integration,
  type IntegrationAccess,
  isKindName,
  KINDS,
  type KindName,
  type McpIntegration,
  type McpServer,
  type ModelPricing,
  type Organisation,
  type Prompt,
  type PromptCollection,
  type PromptLabel,
  type PromptPartial,
  type PromptPartialVersion,
  type PromptVersion,
  type Provider,
  type RateLimitPolicy,
  type ResourceOf,
  type ScimMapping,
  type SecretReference,
  type SidecarProfile,
  type SpecOf,
  type StatusOf,
  type UsageLimitPolicy,
  type VirtualKey,
  type Workspace,
  type WorkspaceMember,
} from './registry.ts';
export {
  ORGANISATION_ROLES,
  type OrganisationRole,
  scopesOfMember,
  scopesOfPerson,
  type Toggles,
  togglesFrom,
  WORKSPACE_RIGHTS,
  WORKSPACE_ROLES,
  type WorkspaceRole,
} from './roles.ts';
export { API_KEY_TYPES, type ApiKeyType, canonicalScope, SCOPES, scopeProblem } from './scopes.ts';
export { SIDECAR_ALLOCATOR } from './sidecar-profile.ts';
export { UNSUPPORTED, type UnsupportedFeature } from './unsupported.ts';
export { MAX_GROUP, MAX_GROUP_RESETS } from './usage-limit-policy.ts';
