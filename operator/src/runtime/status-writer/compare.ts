import { isObject } from '@gatehouse/crds';
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

/** Whether a write would change nothing; conditions of others do not count, nor does the order, which the server may change. */
export function isSameStatus(wanted: Status, live: Status, ownTypes: ReadonlySet<string>): boolean {
  const { conditions: wantedConditions, ...wantedRest } = wanted;
  const { conditions: liveConditions, ...liveRest } = live;
  return isSameJson(wantedRest, liveRest) && isSameList(wantedConditions, liveConditions, ownTypes);
}

function isSameList(wanted: unknown, live: unknown, ownTypes: ReadonlySet<string>): boolean {
  const [ours, theirs] = [ownConditions(wanted, ownTypes), ownConditions(live, ownTypes)];
  return (
    ours?.length === theirs?.length &&
    (ours ?? []).every((condition) =>
      isSameJson(
        condition,
        theirs?.find((other) => other['type'] === condition['type']),
      ),
    )
  );
}

function ownConditions(conditions: unknown, ownTypes: ReadonlySet<string>): readonly Status[] | undefined {
  if (!Array.isArray(conditions)) return undefined;
  return conditions.filter((condition) => isObject(condition) && ownTypes.has(String(condition['type'])));
}

/** A member that is undefined counts as absent. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => isSameJson(item, b[i]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  return Object.keys({ ...a, ...b }).every((name) => isSameJson(a[name], b[name]));
}
