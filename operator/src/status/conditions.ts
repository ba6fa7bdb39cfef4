/** The one place that turns what is known of an object into the conditions of its status. Same input, same conditions. */
import { isObject } from '@gatehouse/crds';
import {
  type ConditionDraft,
  type Explanation,
  POSITIVE_CONDITIONS,
  type PositiveType,
  REASONS,
  toCondition,
} from '@gatehouse/crds/conditions';
import { type Halt, type KubeObject, type StatusDraft, unmetStatus } from '../runtime/index.ts';
import type { Judgement } from '../translate/index.ts';

export interface ConditionSummary {
  readonly generation: number | undefined;
  readonly positive: Readonly<Record<PositiveType, Judgement>>;
  /** The judgement that `Ready` repeats; undefined: every step succeeded. */
  readonly unmet: Judgement | undefined;
  /** The message of `Ready` when every step succeeded. */
  readonly success?: string | undefined;
  /** At most one of the two, and only while it is true. */
  readonly stalled?: Explanation | undefined;
  readonly reconciling?: Explanation | undefined;
  /** The time of `spec.expiresAt` has passed. */
  readonly expired?: boolean;
  /** A budget has nothing left; it says nothing of `Ready`, since that ends by itself or by a larger budget. */
  readonly exhausted?: Explanation | undefined;
  /** Fleets of a Workspace do not share its limits; that says nothing of `Ready` either. */
  readonly countedApart?: Explanation | undefined;
}

/** The conditions in the order of the contract, all about one generation. */
export function toConditions(summary: ConditionSummary): readonly ConditionDraft[] {
  const {
    generation,
    positive,
    unmet,
    success = 'All steps succeeded',
    stalled,
    reconciling,
    expired = false,
    exhausted,
    countedApart,
  } = summary;
  const conditions = POSITIVE_CONDITIONS.map((type) => toCondition(type, positive[type].status, positive[type]));
  conditions.push(toCondition('Ready', unmet?.status ?? 'True', unmet ?? { reason: 'Succeeded', message: success }));
  if (stalled !== undefined) conditions.push(toCondition('Stalled', 'True', stalled));
  else if (reconciling !== undefined) conditions.push(toCondition('Reconciling', 'True', reconciling));
  if (expired) conditions.push(toCondition('Expired', 'True', EXPIRED));
  if (exhausted !== undefined) conditions.push(toCondition('Exhausted', 'True', exhausted));
  if (countedApart !== undefined) conditions.push(toCondition('LimitsShared', 'False', countedApart));
  return conditions.map((condition) => ({ ...condition, observedGeneration: generation }));
}

/** What `Ready` and `Stalled` say of an object that is fine otherwise: only a person can extend or delete it. */
export const EXPIRED: Judgement = {
  status: 'False',
  reason: 'Expired',
  message: 'The time of spec.expiresAt has passed: gateways refuse it',
};

/** The condition of a step that has not been reached. */
export const PENDING: Judgement = { status: 'Unknown', reason: 'Pending', message: 'An earlier step has not finished' };

/** How far the run of a controller came: the conditions it has proved, and why it stopped. */
export interface RunProgress {
  readonly passed: ReadonlyMap<PositiveType, Explanation>;
  readonly halt?: (Halt & { readonly proves: PositiveType }) | undefined;
}

/** Conditions and observed generation after a run of a controller. */
export function summariseRun(
  object: KubeObject,
  { passed, halt }: RunProgress,
  { success }: { readonly success?: string } = {},
): StatusDraft {
  const { generation } = object.metadata;
  const unmet = halt === undefined ? undefined : toJudgement(halt);
  const judge = (type: PositiveType): Judgement => {
    if (unmet !== undefined && halt?.proves === type) return unmet;
    const explanation = passed.get(type);
    return explanation === undefined ? PENDING : { status: 'True', ...explanation };
  };
  const [Accepted, ResolvedRefs, Programmed] = [judge('Accepted'), judge('ResolvedRefs'), judge('Programmed')];
  const conditions = toConditions({
    generation,
    positive: { Accepted, ResolvedRefs, Programmed },
    unmet,
    success,
    stalled: halt?.kind === 'stall' ? halt : undefined,
    reconciling: halt === undefined || halt.kind === 'fault' ? undefined : toReconciling(halt),
  });
  const isSettled = halt === undefined || halt.kind === 'stall';
  return { conditions, observedGeneration: isSettled ? generation : (observedGeneration(object) ?? 0) };
}

/** A Snapshot that a pod refused is a fact, not something unknown. */
const toJudgement = (halt: Halt): Judgement => ({
  status: halt.reason === 'Rejected' ? 'False' : unmetStatus(halt),
  reason: halt.reason,
  message: halt.message,
});

/** Some reasons are not for `Reconciling`: see the table of reasons. */
function toReconciling({ reason, message }: Halt): Explanation {
  const on: readonly string[] = REASONS[reason].on;
  return on.includes('Reconciling') ? { reason, message } : { reason: 'Pending', message };
}

/** `status.observedGeneration` of the object as it was read. */
export function observedGeneration(object: KubeObject): number | undefined {
  const status = 'status' in object && isObject(object.status) ? object.status : {};
  const value = status['observedGeneration'];
  return typeof value === 'number' ? value : undefined;
}
