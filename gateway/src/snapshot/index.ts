export type {
  Credential,
  GuardrailRecord,
  IssuerRecord,
  KeyRecord,
  ManagedProvider,
  OrganisationRecord,
  SavedConfig,
  SidecarRecord,
  Workload,
  WorkspaceRecord,
} from './compiled-entries.ts';
export type { DefaultGuardrails } from './guardrails.ts';
export {
  createSnapshotHolder,
  NO_SNAPSHOT,
  type SkippedEntry,
  type SnapshotHolder,
  type SnapshotStatus,
} from './holder.ts';
export { compileBudget, compileLimits, compileSchedule, NO_LIMITS, type OwnerLimits } from './owner-limits.ts';
export type { PolicyFacts, PolicyRecord } from './policies.ts';
export type { PromptLibrary } from './prompts.ts';
export { retentionDaysOf, retentionMsOf } from './retention.ts';
export {
  createKubernetesSource,
  createSidecarSource,
  type SnapshotSource,
  type SourceOptions,
  type SourceStatus,
} from './sources/index.ts';
export type { NamedBy, SnapshotView } from './view.ts';
