/** The condition `LimitsShared` of a fleet: what its limits and budgets hold for, by what its pods say. */
import { isObject } from '@gatehouse/crds';
import { type ConditionDraft, type Explanation, toCondition } from '@gatehouse/crds/conditions';
import { conditionOf, type StatusDraft } from '../../runtime/index.ts';
import type { FleetObject } from './kube-kinds.ts';
import type { Acknowledged, CountedLimits } from './ports.ts';

type Judged = Pick<ConditionDraft, 'status'> & Explanation;

/** Adds the condition; what is not known yet, to a new leader or of new pods, stays as it was written before. */
export function withLimitsShared(
  draft: StatusDraft,
  fleet: FleetObject,
  acknowledged: Pick<Acknowledged, 'limits'> | undefined,
): StatusDraft {
  const judged = acknowledged?.limits && judge(fleet, acknowledged.limits);
  const condition = judged === undefined ? before(fleet) : toCondition(TYPE, judged.status, judged);
  const { generation } = fleet.metadata;
  return { ...draft, conditions: [...(draft.conditions ?? []), { ...condition, observedGeneration: generation }] };
}

const TYPE = 'LimitsShared';
const UNKNOWN: ConditionDraft = toCondition(TYPE, 'Unknown', {
  reason: 'Pending',
  message: 'No pod has said yet where it counts limits',
});

function before(fleet: FleetObject): ConditionDraft {
  const condition = conditionOf(fleet, TYPE);
  if (condition === undefined) return UNKNOWN;
  const { lastTransitionTime: _, ...draft } = condition;
  return draft as ConditionDraft; // a condition type of the operator, so that this function has made it
}

/** Undefined: no ready pod has answered. */
function judge(
  fleet: FleetObject,
  { ready, shared, refused, alone, reasons, stores }: CountedLimits,
): Judged | undefined {
  if (ready === 0) return undefined;
  const away = ready - shared - alone;
  if (away > 0) {
    const effect =
      refused > 0 ? 'these answer 503 to requests with a limit' : 'each of these counts limits and budgets by itself';
    const why = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`;
    return no('StoreUnavailable', `${away}/${ready} pods cannot use the Redis of the fleet${why}: ${effect}`);
  }
  if (alone === 0 && stores.length <= 1) {
    return { status: 'True', reason: 'Shared', message: 'Limits and budgets hold for all pods together' };
  }
  if (alone > 0 && isSingle(fleet)) {
    return { status: 'True', reason: 'SinglePod', message: 'Limits and budgets hold for the one pod of the fleet' };
  }
  if (alone === ready) return no('PerPod', PER_POD);
  return no('StoresDiffer', 'The pods use different Redis servers, or some use none: limits and budgets hold for each');
}

const PER_POD =
  'Without a Redis each pod counts limits and budgets by itself: N pods admit up to N times a limit; set spec.stores.redis';

const no = (reason: Explanation['reason'], message: string): Judged => ({ status: 'False', reason, message });

function isSingle({ spec }: FleetObject): boolean {
  const { replicas, autoscaling } = isObject(spec) ? spec : {};
  return replicas === 1 && autoscaling === undefined;
}
