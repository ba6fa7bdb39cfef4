/** What the parts of a translation share: the world, findings, verdicts, and the contract of a rule. */
export {
  awaited,
  conflicted,
  type Effect,
  FAULT,
  type Failure,
  type Finding,
  type FindingReason,
  fromIssue,
  misplaced,
  missing,
  notLent,
  notPermitted,
  overQuota,
  unowned,
  unread,
} from './findings.ts';
export type { Lookups, Owners } from './lookups.ts';
export type { Bound, Broken, Row } from './quota.ts';
export { type Draft, defineTranslator, type KindTranslator, type Made, type Place } from './rule.ts';
export { type Judgement, type TranslatedCondition, type Verdict, type VerdictIssue, verdictKey } from './verdict.ts';
export { OBJECT_BYTES, type Weight, weigh } from './weight.ts';
export {
  type AllowedHosts,
  byAge,
  CONSENT_LABEL,
  INJECTION_LABEL,
  isReservedNamespace,
  type Lookup,
  mintedSecret,
  objectKey,
  PREVIOUS_KEY,
  type ReferenceGrant,
  type SecretData,
  type SecretReading,
  type ServiceReading,
  type World,
  type WorldObject,
  type WorldObjects,
  type WorldSettings,
} from './world.ts';
