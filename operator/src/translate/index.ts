/** Resources in, Snapshot and verdicts out: the pure core of the operator, and of a standalone process. */

export { type AllowedHosts, parseHostPattern } from './custom-hosts.ts';
export type { Failure, FindingReason } from './findings.ts';
export { checksOf } from './kinds/index.ts';
export { createLastGood, firstOf, type LastGood, originKey, originsOf } from './last-good.ts';
export { LayeredMap } from './layered-map.ts';
export { type ServiceName, serviceNamed } from './reach.ts';
export { permitsSecret, type ReferenceGrant, type SecretReference } from './reference-grants.ts';
export { servedBy } from './served.ts';
export { fleetNeeds, NOTHING_TOLD, type SidecarSnapshot, sidecarSnapshot } from './sidecar.ts';
export { createSidecarReaders, type SidecarReaders } from './sidecar-view.ts';
export { type Standing, standingOf } from './standing.ts';
export type { Steps } from './steps.ts';
export { tenantSnapshot } from './tenant.ts';
export { type ContentState, type Translation, translate, translating } from './translate.ts';
export type { Judgement, TranslatedCondition, Verdict, VerdictIssue } from './verdict.ts';
export { type Weight, weigh } from './weight.ts';
export {
  CONSENT_LABEL,
  INJECTION_LABEL,
  type Lookup,
  mintedSecret,
  objectKey,
  PREVIOUS_KEY,
  type SecretData,
  type SecretReading,
  type ServiceReading,
  type World,
  type WorldObject,
  type WorldObjects,
  type WorldSettings,
} from './world.ts';
