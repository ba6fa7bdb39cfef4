/** Condition types and reasons of every Kind (engineering 8.4). Data for statuses, docs and alerts. */

/** Conditions that are always present; True is good. Order = evaluation order. */
export const POSITIVE_CONDITIONS = ['Accepted', 'ResolvedRefs', 'Programmed'] as const;
export type PositiveType = (typeof POSITIVE_CONDITIONS)[number];

/** `Ready` is a summary, never set by a step; the last three exist only while True. */
export type ConditionType = PositiveType | 'Ready' | 'Reconciling' | 'Stalled' | 'Expired';

export interface ReasonRow {
  /** The conditions that may carry the reason. */
  readonly on: readonly ConditionType[];
  readonly summary: string;
}

export const REASONS = {
  Accepted: { on: ['Accepted'], summary: 'The spec is understood and gives some configuration.' },
  Invalid: {
    on: ['Accepted', 'Programmed', 'Ready', 'Stalled'],
    summary: 'The spec, or an object that is made of it, breaks a rule; the message names the field.',
  },
  UnsupportedValue: {
    on: ['Accepted', 'Ready', 'Stalled'],
    summary: 'The spec uses a field or value this version does not serve.',
  },
  Conflicted: {
    on: ['Accepted', 'Ready', 'Stalled'],
    summary: 'Another object has the same name, key or namespace and goes before this one.',
  },
  QuotaExceeded: {
    on: ['Accepted', 'Ready', 'Stalled'],
    summary: 'Older resources of the workspace take up its quota; what was served for this one goes on.',
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
      "The settings ask for the cloud identity of the gateway's pod, which the Organisation does not lend for that.",
  },
  AccessDenied: {
    on: ['ResolvedRefs', 'Programmed', 'Ready', 'Stalled'],
    summary:
      'The operator lacks rights in a namespace that only the platform can grant; the message has the command that does so.',
  },
  InvalidKind: {
    on: ['ResolvedRefs', 'Ready', 'Stalled'],
    summary: 'A reference names a kind that cannot stand there.',
  },
  Programmed: { on: ['Programmed'], summary: 'Every ready gateway pod serves this generation.' },
  Pending: {
    on: ['Accepted', 'ResolvedRefs', 'Programmed', 'Ready', 'Reconciling'],
    summary: 'An earlier step has not finished.',
  },
  NoFleet: { on: ['Programmed', 'Ready'], summary: 'No gateway fleet serves the workspace of the object.' },
  NoReadyPods: { on: ['Programmed', 'Ready', 'Reconciling'], summary: 'The fleet has no ready gateway pod.' },
  SnapshotTooLarge: {
    on: ['Programmed', 'Ready', 'Stalled'],
    summary: 'What sidecars would be told does not fit into the copy that is mounted into their pods.',
  },
  Rejected: { on: ['Programmed', 'Ready'], summary: 'A gateway pod refused the Snapshot that holds this generation.' },
  Expired: { on: ['Expired'], summary: 'The time of spec.expiresAt has passed: gateways refuse the key or provider.' },
  Succeeded: { on: ['Ready'], summary: 'All steps succeeded.' },
  ProgressingWithRetry: { on: ['Reconciling'], summary: 'A step failed for a passing reason and is tried again.' },
  InternalError: {
    on: ['Accepted', 'Ready', 'Stalled'],
    summary: 'The operator failed on the object or on a step for it; its log has the details.',
  },
} as const satisfies Record<string, ReasonRow>;

export type Reason = keyof typeof REASONS;

/** Why a condition has its status. Message: capital first, no newline, below 1 kB, no secrets. */
export interface Explanation {
  readonly reason: Reason;
  readonly message: string;
}

/** Every condition type that is ours; others may add their own to the same status. */
export const CONDITION_TYPES: readonly ConditionType[] = [
  ...POSITIVE_CONDITIONS,
  'Ready',
  'Reconciling',
  'Stalled',
  'Expired',
];

/** A condition as a controller wants it; who writes it adds `lastTransitionTime` where the status turned. */
export interface ConditionDraft {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  readonly message: string;
  readonly observedGeneration?: number | undefined;
}

/** One condition from its grounds; further members of `grounds` are left behind. */
export function toCondition(
  type: ConditionType,
  status: ConditionDraft['status'],
  { reason, message }: Explanation,
): ConditionDraft {
  return { type, status, reason, message };
}
