/** Rate limits and budgets as Snapshot entries have them. */
import type { IntegrationAccess, UsageLimitPolicy, Workspace } from '@gatehouse/crds/kinds';
import type { AccessBody, EntryBody, RateLimitBody, UsageLimitBody } from '@gatehouse/crds/snapshot';
import type { Lookups, ObjectScope } from '../../types/index.ts';
import { ALL_WORKSPACES } from './integration-grants.ts';

type UsageLimits = NonNullable<Workspace['spec']['usageLimits']>;
type Budget = Pick<
  UsageLimitPolicy['spec'],
  | 'type'
  | 'creditLimit'
  | 'alertThreshold'
  | 'periodicReset'
  | 'periodicResetDays'
  | 'nextUsageResetAt'
  | 'resetUsageAt'
>;

interface Limits {
  readonly rateLimits?: RateLimitBody[];
  readonly usageLimits?: UsageLimitBody[];
}

/** Absent members for an owner without limits. */
export function limitsOf({
  rateLimits = [],
  usageLimits = [],
}: {
  readonly rateLimits?: readonly RateLimitBody[] | undefined;
  readonly usageLimits?: UsageLimits | undefined;
}): Limits {
  return {
    ...(rateLimits.length === 0 ? {} : { rateLimits: [...rateLimits] }),
    ...(usageLimits.length === 0 ? {} : { usageLimits: usageLimits.map((limit) => usageLimitOf(limit.name, limit)) }),
  };
}

/** A budget in integers: see `usageLimit` of the contract. */
export function usageLimitOf(name: string, budget: Budget): UsageLimitBody {
  const { type, creditLimit, alertThreshold, periodicReset, periodicResetDays, nextUsageResetAt, resetUsageAt } =
    budget;
  const toAmount = type === 'cost' ? toNanoDollars : Number;
  return {
    name,
    type,
    limit: toAmount(creditLimit),
    ...(alertThreshold === undefined ? {} : { alertAt: toAmount(alertThreshold) }),
    ...(periodicReset === undefined ? {} : { reset: { period: periodicReset } }),
    ...(periodicResetDays === undefined ? {} : { reset: { days: periodicResetDays } }),
    ...(nextUsageResetAt === undefined ? {} : { firstResetAt: midnightOf(nextUsageResetAt) }),
    ...(resetUsageAt === undefined ? {} : { resetAt: resetUsageAt }),
  };
}

const NANO_DIGITS = 9;

/** Exact: digits are moved, nothing is multiplied. The schema bounds digits and value. */
function toNanoDollars(dollars: string): number {
  const [whole = '0', fraction = ''] = dollars.split('.');
  return Number(whole + fraction.padEnd(NANO_DIGITS, '0'));
}

/** 00:00 UTC of the day that the time is in. */
const midnightOf = (time: string): string => `${new Date(time).toISOString().slice(0, 10)}T00:00:00Z`;

/**
 * The limits of the grants of an Integration. For an account of a workspace: the one grant that applies to it; for one of the
 * organisation: all of them. `integration` is the name that grants use.
 */
export function accessesOf(
  integration: string,
  { workspace, settings }: ObjectScope,
  view: Lookups,
): { readonly accesses?: AccessBody[] } {
  const names = workspace === null ? view.accessesOf(integration).split(' ') : [view.grantFor(integration, workspace)];
  const accesses = names.flatMap((name) => {
    const grant = name && view.find('IntegrationAccess', settings.organisationNamespace, name);
    return grant ? [toAccess(grant)] : [];
  });
  return accesses.some(isLimited) ? { accesses } : {};
}

const toAccess = ({ metadata, spec }: IntegrationAccess): AccessBody => ({
  name: metadata.name,
  workspace: spec.workspaceRef?.name ?? ALL_WORKSPACES,
  ...limitsOf(spec),
});

const isLimited = ({ rateLimits, usageLimits }: AccessBody): boolean =>
  rateLimits !== undefined || usageLimits !== undefined;

type Selection = Pick<UsageLimitPolicy['spec'], 'conditions' | 'groupBy'>;

/** Which requests a policy selects, and how it groups them. */
export const selectionOf = ({
  conditions,
  groupBy,
}: Selection): Pick<EntryBody<'policy'>, 'conditions' | 'groupBy'> => ({
  conditions: conditions.map(({ key, values, excludes }) => ({
    key,
    ...(values === undefined ? {} : { values }),
    ...(excludes === undefined ? {} : { excludes }),
  })),
  groupBy: groupBy.map(({ key }) => ({ key })),
});
