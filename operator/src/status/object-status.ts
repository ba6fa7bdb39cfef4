/** The status of an object that the Snapshot is made of. Same input, same status. */
import type { Explanation } from '@gatehouse/crds/conditions';
import type { ProgrammedState } from '../publish/fleets/index.ts';
import type { StatusDraft } from '../runtime/index.ts';
import type { Verdict } from '../translate/index.ts';
import { EXPIRED, PENDING, toConditions } from './conditions.ts';

/** Whether the object, as it is, has been made into something that pods can serve. */
export function isServed({ serves, conditions: { Accepted } }: Verdict): boolean {
  return Accepted.status === 'True' && serves === 'current';
}

interface StatusInput {
  readonly verdict: Verdict;
  readonly programmed: ProgrammedState;
  /** `status.observedGeneration` of the object as it was read. */
  readonly observed: number | undefined;
  /** The time of `spec.expiresAt` has passed. */
  readonly expired: boolean;
  /** Which budgets have nothing left; undefined: none. */
  readonly exhausted?: Explanation | undefined;
  /** Why the limits of a Workspace hold for each of its fleets; undefined: they hold for all. */
  readonly countedApart?: Explanation | undefined;
}

/** Conditions and observed generation; the writer adds the times. */
export function toStatus({
  verdict,
  programmed,
  observed,
  expired,
  exhausted,
  countedApart,
}: StatusInput): StatusDraft {
  const { generation, conditions } = verdict;
  const positive = { ...conditions, Programmed: isServed(verdict) ? programmed : PENDING };
  const judged = [positive.Accepted, positive.ResolvedRefs];
  const stalled = judged.find(({ status }) => status === 'False');
  const wanting = stalled ?? [...judged, positive.Programmed].find(({ status }) => status !== 'True');
  const isSettled = wanting?.status !== 'Unknown';
  const unmet = wanting ?? (expired ? EXPIRED : undefined);
  const observedGeneration = isSettled ? generation : observed;
  return {
    conditions: toConditions({
      generation,
      positive,
      unmet,
      stalled: stalled ?? (wanting === undefined ? unmet : undefined),
      reconciling: isSettled ? undefined : wanting,
      expired,
      exhausted,
      countedApart,
    }),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
}

/** Computes statuses one after the other; of two in a row that are equal, the second is the first: queues hold many of them. */
export function createStatusComputer(): (input: StatusInput) => StatusDraft {
  let last: { readonly input: StatusInput; readonly status: StatusDraft } | undefined;
  return (input) => {
    if (last === undefined || !isSameInput(last.input, input)) last = { input, status: toStatus(input) };
    return last.status;
  };
}

const isSameInput = (a: StatusInput, b: StatusInput): boolean =>
  a.verdict.conditions === b.verdict.conditions &&
  a.verdict.generation === b.verdict.generation &&
  a.verdict.serves === b.verdict.serves &&
  a.programmed.status === b.programmed.status &&
  a.programmed.reason === b.programmed.reason &&
  a.programmed.message === b.programmed.message &&
  a.observed === b.observed &&
  a.expired === b.expired &&
  a.exhausted?.message === b.exhausted?.message &&
  a.countedApart?.message === b.countedApart?.message;
