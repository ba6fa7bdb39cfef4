/** When the key of an ApiKey is rotated, and how long the previous one stays valid. */
import type { ApiKey } from '@gatehouse/crds/kinds';

export type RotationRules = NonNullable<ApiKey['spec']['rotation']>;

const DAY_MS = 86_400_000;
const MONDAY = 1;

/** The first rotation after a time, in ms since 1970; undefined when there is none. All are at 00:00 UTC. */
export function nextRotationMs(rules: RotationRules, afterMs: number): number | undefined {
  const { period, periodDays, nextRotationAt } = rules;
  const given = nextRotationAt === undefined ? undefined : midnight(Date.parse(nextRotationAt));
  if (given !== undefined && given > afterMs) return given;
  if (periodDays !== undefined) return midnight(afterMs) + periodDays * DAY_MS;
  if (period === 'weekly') return nextMonday(afterMs);
  return period === 'monthly' ? firstOfNextMonth(afterMs) : undefined;
}

const midnight = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

function nextMonday(afterMs: number): number {
  const days = (MONDAY + 7 - new Date(afterMs).getUTCDay()) % 7;
  return midnight(afterMs) + (days === 0 ? 7 : days) * DAY_MS;
}

function firstOfNextMonth(afterMs: number): number {
  const date = new Date(afterMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** The shortest transition between two keys, for rules that do not say. */
export const TRANSITION_MINUTES = 30;

/** The rules of an ApiKey; without own ones those that its key got from the key policy, if any. */
export function rotationOf({ spec }: Pick<ApiKey, 'spec'>, policyDays: number | undefined): RotationRules | undefined {
  if (spec.rotation !== undefined || policyDays === undefined) return spec.rotation;
  return { periodDays: policyDays, transitionMinutes: TRANSITION_MINUTES };
}

/** The period that a key which is generated now gets from the key policy: keys of people whose ApiKeys do not say. */
export const policyDaysFor = ({ spec }: Pick<ApiKey, 'spec'>, rotationDays: number | undefined): number | undefined =>
  spec.type === 'workspace-user' && spec.rotation === undefined ? rotationDays : undefined;
