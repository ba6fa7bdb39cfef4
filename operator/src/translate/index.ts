/** Resources in, Snapshot and verdicts out: the pure core of the operator, and of a standalone process. */

export type { Steps } from './incremental/index.ts';
export { createLastGood, firstOf, type LastGood, LayeredMap, originKey, originsOf } from './incremental/index.ts';
export { type Standing, standingOf } from './quota-standing.ts';
export { checksOf } from './rules/index.ts';
export {
  parseHostPattern,
  permitsSecret,
  type SecretReference,
  type ServiceName,
  servedBy,
  serviceNamed,
  staysWithin,
  tenantSnapshot,
} from './rules/shared/index.ts';
export {
  createSidecarReaders,
  fleetNeeds,
  NOTHING_TOLD,
  type SidecarReaders,
  type SidecarSnapshot,
  sidecarSnapshot,
} from './sidecar/index.ts';
export { type ContentState, type Translation, translate, translating } from './translate.ts';
export type { Failure, FindingReason, Judgement, TranslatedCondition, Verdict, VerdictIssue } from './types/index.ts';
export {
  type AllowedHosts,
  CONSENT_LABEL,
  INJECTION_LABEL,
  type Lookup,
  mintedSecret,
  objectKey,
  PREVIOUS_KEY,
  type ReferenceGrant,
  type SecretData,
  type SecretReading,
  type ServiceReading,
  type Weight,
  type World,
  type WorldObject,
  type WorldObjects,
  type WorldSettings,
  weigh,
} from './types/index.ts';
