/** The limits of one owner, ready to be asked for; docs/behaviour/limits.md. */
import type { RateLimitBody } from '@gatehouse/crds/snapshot';
import type { Demand } from '../limits/index.ts';

/** Who has limits: a key, a workspace, an account, or the grant by which a workspace uses one. */
export interface LimitOwner {
  /** Prefix of its counters. */
  readonly subject: string;
  /** The workspace that owns the counters; null: the organisation. */
  readonly workspace: string | null;
}

export interface OwnerLimits {
  /** One request of each limit of requests. */
  readonly requests: readonly Demand[];
  /** One token of each limit of tokens, as a guess to be settled. */
  readonly tokens: readonly Demand[];
  /** Room for one token in each limit of tokens; takes nothing. */
  readonly room: readonly Demand[];
}

/** Of owners without limits: compared by identity. */
export const NO_LIMITS: OwnerLimits = { requests: [], tokens: [], room: [] };

interface Limits {
  readonly rateLimits?: readonly RateLimitBody[] | undefined;
}

export function compileLimits({ subject, workspace }: LimitOwner, { rateLimits = [] }: Limits): OwnerLimits {
  if (rateLimits.length === 0) return NO_LIMITS;
  const slot = workspace ?? '';
  const demands = rateLimits.map(
    ({ type, unit, value }): Demand => ({
      slot,
      subject,
      unit: type,
      window: unit,
      limit: value,
      cost: 1,
    }),
  );
  const tokens = demands.filter(({ unit }) => unit === 'tokens');
  return {
    requests: demands.filter(({ unit }) => unit === 'requests'),
    tokens: tokens.map((demand): Demand => ({ ...demand, estimated: true })),
    room: tokens.map((demand): Demand => ({ ...demand, takes: false })),
  };
}
