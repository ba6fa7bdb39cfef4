/** Condition types and reasons of every Kind, as data: the operator writes them, docs and alerts list them. */

/** Conditions that are always present; True is good. Order = evaluation order. */
export const POSITIVE_CONDITIONS = ['Accepted', 'ResolvedRefs', 'Programmed'] as const;
export type PositiveType = (typeof POSITIVE_CONDITIONS)[number];

/**
 * `Ready` summarises the others and is never set by a step; `Reconciling`, `Stalled`, `Expired` and `Exhausted` exist only while
 * True. `LimitsShared` is part of every GatewayFleet, and of a Workspace while it is False; it says nothing of `Ready`.
 */
export type ConditionType =
  | PositiveType
  | 'Ready'
  | 'Reconciling'
  | 'Stalled'
  | 'Expired'
  | 'Exhausted'
  | 'LimitsShared';

export interface ReasonRow {
  /** The conditions that may carry the reason. */
  readonly on: readonly ConditionType[];
  readonly summary: string;
}

export const REASONS = {
  Accepted: { on: ['Accepted'], summary: 'The spec is valid and everything in it is served.' },
  Invalid: {
    on: ['Accepted', 'Programmed', 'Ready', 'Stalled'],
    summary: 'The spec, or an object made from it, breaks a rule; the message names the field.',
  },
  UnsupportedValue: {
    on: ['Accepted', 'Ready', 'Stalled'],
    summary: 'The spec uses a field or value this version does not serve.',
  },
  Conflicted: {
    on: ['Accepted', 'Ready', 'Stalled'],
    summary: 'Another object has the same name, key or namespace and takes precedence.',
  },
  QuotaExceeded: {
    on: ['Accepted', 'Ready', 'Stalled'],
    summary: 'Older resources of the workspace use up its quota; what was served for this object before stays served.',
  },
  ResolvedRefs: { on: ['ResolvedRefs'], summary: 'All referenced objects and Secrets exist and are permitted.' },
  RefNotFound: {
    on: ['ResolvedRefs', 'Ready', 'Stalled'],
    summary: 'A referenced object, Secret or Secret key does not exist.',
  },
  RefNotPermitted: {
    on: ['ResolvedRefs', 'Ready', 'Stalled'],
    summary: 'A reference crosses a namespace or workspace border without a grant.',
  },
  IdentityNotGranted: {
    on: ['ResolvedRefs', 'Ready', 'Stalled'],
    summary:
      "The spec asks for an identity of the gateway's or the operator's pod that the Organisation does not grant for that.",
  },
  SecretNotFetched: {
    on: ['ResolvedRefs', 'Ready', 'Stalled'],
    summary: 'A secret manager cannot be read; the value that was fetched last stays in use.',
  },
  AccessDenied: {
    on: ['ResolvedRefs', 'Programmed', 'Ready', 'Stalled'],
    summary: 'The operator lacks rights that only a cluster administrator can grant; the message has the command.',
  },
  InvalidCertificateRef: {
    on: ['ResolvedRefs', 'Ready', 'Stalled'],
    summary:
      'The Secret of a listener has no certificate that can be served with its key; pods keep the last good one.',
  },
  InvalidKind: {
    on: ['ResolvedRefs', 'Ready', 'Stalled'],
    summary: 'A reference names a kind that is not allowed there.',
  },
  Programmed: { on: ['Programmed'], summary: 'Every ready gateway pod serves this generation.' },
  Pending: {
    on: ['Accepted', 'ResolvedRefs', 'Programmed', 'Ready', 'Reconciling', 'LimitsShared'],
    summary: 'An earlier step has not finished.',
  },
  NoFleet: { on: ['Programmed', 'Ready'], summary: 'No gateway fleet serves the workspace of the object.' },
  NoReadyPods: { on: ['Programmed', 'Ready', 'Reconciling'], summary: 'The fleet has no ready gateway pod.' },
  SnapshotTooLarge: {
    on: ['Programmed', 'Ready', 'Stalled'],
    summary: 'The Snapshot for the sidecars does not fit into the copy that is mounted into their pods.',
  },
  Rejected: { on: ['Programmed', 'Ready'], summary: 'A gateway pod rejected the Snapshot with this generation.' },
  Expired: {
    on: ['Expired', 'Ready', 'Stalled'],
    summary: 'spec.expiresAt has passed: gateways refuse the key or provider.',
  },
  Exhausted: {
    on: ['Exhausted'],
    summary: 'A budget has nothing left: gateways refuse requests until it is reset or made larger.',
  },
  Shared: { on: ['LimitsShared'], summary: 'Limits and budgets hold for all pods of the fleet together.' },
  SinglePod: {
    on: ['LimitsShared'],
    summary: 'Limits and budgets hold for the one pod of the fleet; they begin anew with each pod.',
  },
  PerPod: {
    on: ['LimitsShared'],
    summary: 'Without a Redis each pod counts by itself: N pods admit up to N times a limit.',
  },
  StoreUnavailable: {
    on: ['LimitsShared'],
    summary: 'Some pods cannot use the Redis of the fleet and follow its storeFailurePolicy.',
  },
  StoresDiffer: {
    on: ['LimitsShared'],
    summary:
      'Pods of the fleet, or the fleets of the Workspace, count in different places: limits and budgets hold for each.',
  },
  AlertReached: {
    on: [],
    summary: 'An event: the use of a budget has reached its alertThreshold.',
  },
  Succeeded: { on: ['Ready'], summary: 'All steps succeeded.' },
  ProgressingWithRetry: { on: ['Reconciling'], summary: 'A step failed temporarily and is retried.' },
  InternalError: {
    on: ['Accepted', 'Ready', 'Stalled'],
    summary: 'The operator failed while processing the object; its log has the details.',
  },
} as const satisfies Record<string, ReasonRow>;

export type Reason = keyof typeof REASONS;

/** Why a condition has its status. Message: capital first, no newline, below 1 kB, no secrets. */
export interface Explanation {
  readonly reason: Reason;
  readonly message: string;
}

/** Every condition type of Gatehouse; other controllers may add their own to the same status. */
export const CONDITION_TYPES: readonly ConditionType[] = [
  ...POSITIVE_CONDITIONS,
  'Ready',
  'Reconciling',
  'Stalled',
  'Expired',
  'Exhausted',
  'LimitsShared',
];

/** A condition without `lastTransitionTime`, which the status writer sets when `status` changes. */
export interface ConditionDraft {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  readonly message: string;
  readonly observedGeneration?: number | undefined;
}

/** One condition of this type and status; other members of the explanation are dropped. */
export function toCondition(
  type: ConditionType,
  status: ConditionDraft['status'],
  { reason, message }: Explanation,
): ConditionDraft {
  return { type, status, reason, message };
}
