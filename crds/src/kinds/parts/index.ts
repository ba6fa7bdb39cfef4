export { BUCKET_ROLE, BUCKET_ROLE_RULES, externalId, roleArn } from './aws-role.ts';
export {
  checkConnection,
  connectionFields,
  headerMap,
  headerName,
  headersFrom,
  overloadSwitch,
  providerId,
  type SecretMapping,
} from './credentials.ts';
export { configRef, description, displayName, guardrailRefs, requestDefaults, requestMetadata } from './defaults.ts';
export {
  type AnyKind,
  API_VERSION,
  CATEGORY,
  type CheckKindOptions,
  defineKind,
  GROUP,
  type KindDefinition,
  type PrinterColumn,
  type Resource,
  shortNameRule,
  VERSION,
} from './define.ts';
export { keyPolicy, ROLE_TOGGLES, type RoleToggle, roleToggles } from './governance.ts';
export { guardrailServiceIssues, isGuardrailService } from './guardrail-service.ts';
export { headerAliases } from './header-aliases.ts';
export { headersToMask } from './headers-to-mask.ts';
export { jwtIssuers, TOKEN_ALGORITHMS } from './jwt-issuer.ts';
export {
  budgetFields,
  budgetRules,
  budgetType,
  COARSE_UNITS,
  limitType,
  RATE_UNITS,
  type RateUnit,
  rateLimits,
  rateUnit,
  rateValue,
  usageLimits,
} from './limits.ts';
export { organisationLogging, workspaceLogging } from './logging.ts';
export { MAX_MCP_CAPABILITIES, MCP_CAPABILITY_TYPES, mcpCapabilities } from './mcp.ts';
export { metadataIssues, metadataSchemaIssues } from './metadata-schema.ts';
export { type ObjectMeta, objectMeta } from './object-meta.ts';
export {
  env,
  envName,
  image,
  imagePullPolicy,
  labelSelector,
  logLevel,
  resources,
} from './pod.ts';
export { podTemplate } from './pod-template.ts';
export { conditionIssues, ENDPOINT_TYPES, selectionFields } from './policy.ts';
export { perMillionTokens } from './prices.ts';
export {
  partialIssues,
  partialText,
  promptTemplate,
  promptTemplateIssues,
  versionNumber,
} from './prompt-template.ts';
export { DEFAULT_QUOTA, type Quota, quota } from './quota.ts';
export { nameRef, secretKeyRef } from './refs.ts';
export { type Condition, condition, podCount, snapshotVersion, statusOf, UNSEEN_GENERATION } from './status.ts';
export { MAX_NAMED_COUNTERS, readUsage, type UsageRow, usageColumns, usageStatus } from './usage-status.ts';
export { workloadIdentities } from './workload-identity.ts';
