/** What the parts of a translation share: the world, findings, verdicts, and the contract of a rule. */
export {
  conflicted,
  type Effect,
  type Failure,
  type Finding,
  type FindingReason,
  fromIssue,
  INTERNAL_ERROR,
  identityNotGranted,
  missing,
  notPermitted,
  noWorkspace,
  overQuota,
  pending,
  secretKeyOf,
  secretNotFetched,
  secretUnread,
  unreadable,
  wrongNamespace,
} from './findings.ts';
export type { Lookups, NamespaceOwners, OperatorIdentityGrant } from './lookups.ts';
export {
  FETCH_PROBLEMS,
  type FetchProblem,
  type ManagedReading,
  type ManagedValue,
  type ManagerReach,
  type SecretFetch,
} from './managed.ts';
export type { BrokenBound, QuotaBound, QuotaRow } from './quota.ts';
export { defineRule, type EntryDraft, type KindRule, type ObjectScope, type RuleResult } from './rule.ts';
export { type Judgement, type TranslatedCondition, type Verdict, type VerdictIssue, verdictKey } from './verdict.ts';
export { OBJECT_BYTES, type Weight, weigh } from './weight.ts';
export {
  type AccountReading,
  type AllowedHosts,
  byAge,
  type ClusterIssuer,
  CONSENT_LABEL,
  INJECTION_LABEL,
  isLabelledForInjection,
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
