/** How much a call and its rows may hold, looked at before they are read member by member: not each schema stops at its bound. */
import { isObject } from '@gatehouse/crds';

export const MAX_ROWS = 500;
export const MAX_FEEDBACK = 500;
export const MAX_METADATA = 512;
/** Of feedback: those of the guardrail, and the names of checks. */
export const MAX_FEEDBACK_METADATA = 67;
export const MAX_VERDICTS = 64;
export const MAX_CHECKS = 16;
export const MAX_DROPPED = 1_000;
export const MAX_UNITS = 24;

/** Whether each list and record of the row has at most as many members as it may. What is neither is left to the schema. */
export function isWithinCounts(row: unknown): boolean {
  const { metadata, decision } = membersOf(row);
  const { limits, guardrails, dropped_params: dropped, usage } = membersOf(decision);
  return (
    hasAtMost(metadata, MAX_METADATA) &&
    hasAtMost(limits, MAX_VERDICTS) &&
    hasAtMost(guardrails, MAX_VERDICTS) &&
    hasAtMost(dropped, MAX_DROPPED) &&
    hasAtMost(membersOf(usage)['units'], MAX_UNITS) &&
    (!Array.isArray(guardrails) || guardrails.every(hasFewChecks))
  );
}

function hasFewChecks(guardrail: unknown): boolean {
  const { failed, errored } = membersOf(guardrail);
  return hasAtMost(failed, MAX_CHECKS) && hasAtMost(errored, MAX_CHECKS);
}

/** Of a list, or the members of an object. */
export function hasAtMost(value: unknown, most: number): boolean {
  if (Array.isArray(value)) return value.length <= most;
  return !isObject(value) || Object.keys(value).length <= most;
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});
