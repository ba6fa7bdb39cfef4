/** From resources to the Snapshot and verdicts: the pure core of the operator and of a standalone process. */

export type { Sliced } from './incremental/index.ts';
export {
  indexPublished,
  LayeredMap,
  mergePublished,
  originKey,
  originsOf,
  type PublishedEntries,
  policyName,
} from './incremental/index.ts';
export { type QuotaStanding, quotaStandingOf } from './quota-standing.ts';
export { checksOf } from './rules/index.ts';
export {
  newObjectIssues,
  parseHostPattern,
  permitsSecret,
  policyIn,
  type SecretReference,
  type ServiceName,
  serviceOfHost,
  snapshotForWorkspaces,
  staysWithin,
  tenantSnapshot,
} from './rules/shared/index.ts';
export {
  createSidecarView,
  EMPTY_SNAPSHOT,
  type FleetAddress,
  type FleetForProfile,
  fleetNeeds,
  type SidecarSnapshot,
  type SidecarView,
  sidecarSnapshot,
} from './sidecar/index.ts';
export { type ContentState, type Translation, translate, translateInSlices } from './translate.ts';
export type { Failure, FindingReason, Judgement, TranslatedCondition, Verdict, VerdictIssue } from './types/index.ts';
export {
  type AccountReading,
  type AllowedHosts,
  type ClusterIssuer,
  CONSENT_LABEL,
  FETCH_PROBLEMS,
  type FetchProblem,
  INJECTION_LABEL,
  type Lookup,
  type ManagedReading,
  type ManagedValue,
  type ManagerReach,
  mintedSecret,
  objectKey,
  PREVIOUS_KEY,
  type ReferenceGrant,
  type SecretData,
  type SecretFetch,
  type SecretReading,
  type ServiceReading,
  type Weight,
  type World,
  type WorldObject,
  type WorldObjects,
  type WorldSettings,
  weigh,
} from './types/index.ts';
