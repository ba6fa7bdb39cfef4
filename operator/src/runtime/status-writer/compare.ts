import { isObject } from '@gatehouse/crds';
import { canonicalJson } from '@gatehouse/crds/snapshot';
import { conditionsIn } from './conditions.ts';

type Status = Readonly<Record<string, unknown>>;

/**
 * The status to write: each condition keeps its time unless its status has changed since `before`. Times are whole seconds.
 */
export function withTransitionTimes(draft: object, before: Status, nowMs: number): Status {
  const conditions = 'conditions' in draft ? draft.conditions : undefined;
  if (!Array.isArray(conditions)) return { ...draft };
  const known = new Map(conditionsIn(before).map((condition) => [condition.type, condition]));
  const now = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const timed = conditions.filter(isObject).map((condition) => {
    const last = known.get(String(condition['type']));
    const lastTransitionTime =
      last !== undefined && last.status === condition['status'] ? last.lastTransitionTime : now;
    return { ...condition, lastTransitionTime };
  });
  return { ...draft, conditions: timed };
}

/** Whether a write would change nothing; conditions of others do not count. */
export function isSameStatus(wanted: Status, live: Status, ownTypes: ReadonlySet<string>): boolean {
  return canonicalJson(ownPart(wanted, ownTypes)) === canonicalJson(ownPart(live, ownTypes));
}

/** Conditions in the order of their types: the server may reorder a merged list. */
function ownPart(status: Status, ownTypes: ReadonlySet<string>): Status {
  const { conditions, ...rest } = status;
  if (!Array.isArray(conditions)) return rest;
  const own = conditions.filter((condition) => isObject(condition) && ownTypes.has(String(condition['type'])));
  return { ...rest, conditions: own.toSorted((a, b) => (String(a.type) < String(b.type) ? -1 : 1)) };
}
