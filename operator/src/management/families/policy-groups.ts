/** The groups of a usage limit policy: what each has used, and resets of single ones. docs/behaviour/management.md#groups-of-a-policy */
import { MAX_GROUP_RESETS, type UsageLimitPolicy } from '@gatehouse/crds/kinds';
import { formatAmount } from '@gatehouse/crds/usage';
import { RestError } from '../http/rest-error.ts';
import type { GroupCounter } from '../policy-usage/index.ts';
import { stableUuid } from '../stable-uuid.ts';
import type { StoredObject } from '../store/index.ts';
import type { Home } from '../tenancy/index.ts';
import type { Services } from './family.ts';

type Policy = StoredObject<'UsageLimitPolicy'>;
type Spec = UsageLimitPolicy['spec'];

export interface PolicyGroup {
  /** A UUID made of the policy and the group. */
  readonly id: string;
  readonly value_key: string;
  readonly current_usage: number;
  readonly status: 'active' | 'exhausted';
}

/** The groups of the current period, those with the largest use first. Throws RestError UNAVAILABLE while nobody knows. */
export async function groupsOf(
  { meta, spec }: Policy,
  { workspace }: Home,
  { usage, now }: Pick<Services, 'usage' | 'now'>,
): Promise<readonly PolicyGroup[]> {
  const counters = await usage?.countersOf({ ...meta, workspace: workspace?.slug });
  if (counters === undefined) {
    throw new RestError('UNAVAILABLE', { message: 'What the groups have used is not known now; try again' });
  }
  const nowMs = now();
  const used = new Map(
    counters
      .filter(({ type, resetsAtMs = Number.POSITIVE_INFINITY }) => type === spec.type && resetsAtMs > nowMs)
      .map((counter) => [counter.group, usedSince(counter, lastReset(spec, counter.group, nowMs))]),
  );
  return [...used].sort(byUse).map(([group, amount]) => toGroup({ uid: meta.uid, group, amount }, spec));
}

const byUse = ([a, usedOfA]: readonly [string, number], [b, usedOfB]: readonly [string, number]): number =>
  usedOfB - usedOfA || (a < b ? -1 : 1);

/** A group that was not used since its reset has a counter of the period before. */
const usedSince = ({ used, periodStartMs }: GroupCounter, resetMs: number): number =>
  periodStartMs < resetMs ? 0 : used;

/** Of the further resets of a group the last one that is over. */
function lastReset({ resetUsageAt, groupResets = [] }: Spec, group: string, nowMs: number): number {
  const times = [resetUsageAt, groupResets.find((reset) => reset.group === group)?.at];
  const past = times.map((time) => Date.parse(time ?? '')).filter((timeMs) => timeMs <= nowMs);
  return Math.max(Number.NEGATIVE_INFINITY, ...past);
}

interface Used {
  readonly uid: string;
  readonly group: string;
  readonly amount: number;
}

function toGroup({ uid, group, amount }: Used, { type, creditLimit }: Spec): PolicyGroup {
  const usage = Number(formatAmount(type, amount));
  return {
    id: groupId(uid, group),
    value_key: group,
    current_usage: usage,
    status: usage >= Number(creditLimit) ? 'exhausted' : 'active',
  };
}

/** The same for the same group of the same policy, wherever it is asked for. */
const groupId = (uid: string, group: string): string => stableUuid(`${uid}/${group}`);

/** All requests beyond the first groups of a period share this one. */
const OVERFLOW_GROUP = 'overflow';

/** Throws RestError INVALID for a text that cannot be the values of a group of the policy. */
export function checkGroup(group: string, { groupBy }: Pick<Spec, 'groupBy'>, param: string): void {
  const first = groupBy[0]?.key ?? '';
  if (group === OVERFLOW_GROUP || group.startsWith(`${first}:`)) return;
  throw new RestError('INVALID', { message: `${param}: expected the values of a group, as ${first}:VALUE`, param });
}

/** The spec with one more reset of a group. Resets of periods that are over go. Throws RestError CONFLICT when there are too many. */
export function withReset(spec: Spec, group: string, nowMs: number): Spec {
  const endedMs = Math.max(nowMs - longestPeriodMs(spec), pastMs(spec.resetUsageAt, nowMs));
  const others = (spec.groupResets ?? []).filter((reset) => reset.group !== group && Date.parse(reset.at) > endedMs);
  if (others.length >= MAX_GROUP_RESETS) {
    const message = `${MAX_GROUP_RESETS} groups of the policy have been reset in this period; set resetUsageAt of the resource, which resets all groups`;
    throw new RestError('CONFLICT', { message });
  }
  return { ...spec, groupResets: [...others, { group, at: new Date(nowMs).toISOString() }] };
}

const DAY_MS = 86_400_000;

function longestPeriodMs({ periodicReset, periodicResetDays }: Spec): number {
  if (periodicResetDays !== undefined) return periodicResetDays * DAY_MS;
  if (periodicReset === undefined) return Number.POSITIVE_INFINITY;
  return (periodicReset === 'weekly' ? 7 : 31) * DAY_MS;
}

function pastMs(time: string | undefined, nowMs: number): number {
  const timeMs = Date.parse(time ?? '');
  return timeMs <= nowMs ? timeMs : Number.NEGATIVE_INFINITY;
}

/** The group that a path names, by its id or by its values. */
export const findGroup = (
  { meta, spec }: Policy,
  groups: readonly PolicyGroup[],
  idOrKey: string,
): string | undefined => {
  const known = [...groups.map(({ value_key }) => value_key), ...(spec.groupResets ?? []).map(({ group }) => group)];
  return known.find((group) => group === idOrKey || groupId(meta.uid, group) === idOrKey);
};
