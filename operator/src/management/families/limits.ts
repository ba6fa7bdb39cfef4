/** Budgets and rate limits of keys, accounts and grants: docs/behaviour/management.md#limits. */
import { type ResourceOf, readUsage } from '@gatehouse/crds/kinds';
import type { virtualKeys } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import type { StoredObject } from '../store/index.ts';
import { givenFields } from './fields.ts';

type Body = z.output<typeof virtualKeys.update.body>;
type GivenLimits = NonNullable<Body['usage_limits']>;
type GivenLimit = Exclude<GivenLimits, readonly unknown[]>;
type Limit = NonNullable<ResourceOf<'ApiKey'>['spec']['usageLimits']>[number];

/** The name of a budget that has none. */
const nameOf = (position: number): string => (position === 0 ? 'main' : `limit-${position + 1}`);

interface GivenBudgets {
  readonly usage_limits?: Body['usage_limits'];
  readonly reset_usage?: boolean | null | undefined;
}

/** What the body says of the budgets: undefined where it says nothing. With `reset_usage` they count anew from now on. */
export function toUsageLimits(
  { usage_limits, reset_usage }: GivenBudgets,
  before: readonly Limit[] = [],
  nowMs = 0,
): readonly object[] | null | undefined {
  const limits = toLimits(usage_limits, before);
  if (reset_usage !== true || limits === null || (limits ?? before).length === 0) return limits;
  const resetUsageAt = new Date(nowMs).toISOString();
  return (limits ?? before).map((limit) => ({ ...limit, resetUsageAt }));
}

/** One budget changes the members that it has of the first one; a list replaces the list. Undefined: there is none. */
function toLimits(given: Body['usage_limits'], before: readonly Limit[]): readonly object[] | null | undefined {
  if (given === undefined || given === null) return given;
  if (Array.isArray(given))
    return given.length === 0 ? null : given.map((limit, i) => toLimit(limit, { name: nameOf(i) }));
  const [first = { name: nameOf(0) }, ...rest] = before;
  return [toLimit(given, first), ...rest];
}

function toLimit(given: GivenLimit, before: object & { readonly name: string }): object {
  const decimal = (value: number | null | undefined) => (typeof value === 'number' ? String(value) : value);
  return {
    ...before,
    ...givenFields({
      name: given.id ?? undefined,
      type: given.type,
      creditLimit: decimal(given.credit_limit),
      alertThreshold: decimal(given.alert_threshold),
      periodicReset: given.periodic_reset,
      periodicResetDays: given.periodic_reset_days,
      nextUsageResetAt: given.next_usage_reset_at,
    }),
  };
}

/** One limit, or all of them. */
export const toRateLimits = (given: Body['rate_limits']): readonly object[] | null | undefined => {
  if (given === undefined || given === null) return given;
  const all = Array.isArray(given) ? given : [given];
  return all.length === 0 ? null : all;
};

type SpecWithLimits = Pick<ResourceOf<'ApiKey'>['spec'], 'usageLimits' | 'expiresAt'> & {
  readonly rateLimits?: readonly Rate[] | undefined;
};
type Rate = NonNullable<ResourceOf<'ApiKey'>['spec']['rateLimits']>[number];
type WithUsage = Pick<StoredObject, 'status'> & { readonly spec: SpecWithLimits };

/** The budgets with what is used of them. */
export function showUsageLimits({ spec: { usageLimits = [] }, status }: WithUsage) {
  const used = new Map(readUsage(status).map((row) => [row.name, row]));
  return usageLimits.map((limit) => {
    const row = used.get(limit.name);
    return {
      id: limit.name,
      type: limit.type,
      credit_limit: Number(limit.creditLimit),
      alert_threshold: limit.alertThreshold === undefined ? null : Number(limit.alertThreshold),
      periodic_reset: limit.periodicReset ?? null,
      periodic_reset_days: limit.periodicResetDays ?? null,
      next_usage_reset_at: row?.nextResetTime ?? limit.nextUsageResetAt ?? null,
      current_usage: Number(row?.used ?? 0),
      last_reset_at: row?.periodStartTime ?? null,
      status: row?.usedPercent === 100 ? ('exhausted' as const) : ('active' as const),
    };
  });
}

/** When the period of the first budget began. */
export const lastResetAt = (object: WithUsage): string | null => showUsageLimits(object)[0]?.last_reset_at ?? null;

/** One budget as an object; several as a list. */
export function showUsageLimit(object: WithUsage) {
  const all = showUsageLimits(object);
  return all.length > 1 ? all : (all[0] ?? null);
}

export const showRateLimits = ({ spec: { rateLimits = [] } }: WithUsage) => rateLimits.map((limit) => ({ ...limit }));

/** Whether the object may be used: its time may be over, or a budget used up. */
export function showStatus(object: WithUsage, nowMs: number): 'active' | 'exhausted' | 'expired' {
  const { expiresAt } = object.spec;
  if (expiresAt !== undefined && Date.parse(expiresAt) <= nowMs) return 'expired';
  return showUsageLimits(object).some(({ status }) => status === 'exhausted') ? 'exhausted' : 'active';
}
