/** The status of a translated object: pure, same world, same bytes (engineering 8.4). */
import { type ConditionDraft, type Explanation, toCondition } from '@gatehouse/crds/conditions';
import type { Programming } from '../publish/fleets/index.ts';
import type { StatusDraft } from '../runtime/index.ts';
import type { Verdict } from '../translate/index.ts';

const UNDECIDED: Programming = { status: 'Unknown', reason: 'Pending', message: 'An earlier step has not finished' };
const EXPIRED: Explanation = {
  reason: 'Expired',
  message: 'The time of spec.expiresAt has passed: gateways refuse it',
};
const SUCCEEDED: Explanation = { reason: 'Succeeded', message: 'All steps succeeded' };

/** Whether the object, as it is, has been made into something that pods can serve. */
export function isServed({ serves, conditions: { Accepted } }: Verdict): boolean {
  return Accepted.status === 'True' && serves === 'current';
}

interface StatusInput {
  readonly verdict: Verdict;
  readonly programming: Programming;
  /** `status.observedGeneration` of before. */
  readonly observed: number | undefined;
  /** The time at which the object says that it stops working has passed. */
  readonly expired: boolean;
}

/** Conditions and observed generation; times are the writer's. */
export function toStatus({ verdict, programming: told, observed, expired }: StatusInput): StatusDraft {
  const { generation, conditions } = verdict;
  const programming = isServed(verdict) ? told : UNDECIDED;
  const positive = { ...conditions, Programmed: programming };
  const judged = [conditions.Accepted, conditions.ResolvedRefs];
  const stalled = judged.find(({ status }) => status === 'False');
  const unmet = stalled ?? [...judged, programming].find(({ status }) => status !== 'True');
  const drafts: ConditionDraft[] = [
    toCondition('Accepted', positive.Accepted.status, positive.Accepted),
    toCondition('ResolvedRefs', positive.ResolvedRefs.status, positive.ResolvedRefs),
    toCondition('Programmed', programming.status, programming),
    toCondition('Ready', unmet?.status ?? 'True', unmet ?? SUCCEEDED),
  ];
  if (stalled !== undefined) drafts.push(toCondition('Stalled', 'True', stalled));
  else if (unmet?.status === 'Unknown') drafts.push(toCondition('Reconciling', 'True', unmet));
  if (expired) drafts.push(toCondition('Expired', 'True', EXPIRED));
  const settled = unmet?.status !== 'Unknown';
  const observedGeneration = settled ? generation : observed;
  return {
    conditions: drafts.map((draft) => ({ ...draft, observedGeneration: generation })),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
}
