/** The limits of one owner, ready to be asked for; docs/behaviour/limits.md. */
import type { RateLimitBody, UsageLimitBody } from '@gatehouse/crds/snapshot';
import { type BudgetLimit, type Schedule, toSchedule } from '../budgets/index.ts';
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
  readonly budgets: readonly BudgetLimit[];
}

/** Of owners without limits: compared by identity. */
export const NO_LIMITS: OwnerLimits = { requests: [], tokens: [], room: [], budgets: [] };

interface Limits {
  readonly rateLimits?: readonly RateLimitBody[] | undefined;
  readonly usageLimits?: readonly UsageLimitBody[] | undefined;
}

export function compileLimits(
  { subject, workspace }: LimitOwner,
  { rateLimits = [], usageLimits = [] }: Limits,
): OwnerLimits {
  if (rateLimits.length === 0 && usageLimits.length === 0) return NO_LIMITS;
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
    budgets: usageLimits.map((limit) => compileBudget({ id: subject, workspace }, limit)),
  };
}

type BudgetOwner = BudgetLimit['owner'];

const OWNERS: ReadonlyMap<string, BudgetOwner['kind']> = new Map<string, BudgetOwner['kind']>([
  ['workspace', 'workspace'],
  ['provider', 'provider'],
  ['access', 'access'],
  ['policy', 'policy'],
]);

interface Place {
  /** `kind/workspace/name` */
  readonly id: string;
  readonly workspace: string | null;
  /** Of a policy. */
  readonly bucket?: string;
}

/**
 * A budget and its counter. A policy has one for each bucket, which may have a reset of its own; what is counted is part of its name, for
 * amounts of different types are not alike.
 */
export function compileBudget(
  { id, workspace, bucket }: Place,
  { name, type, limit, alertAt, ...resets }: UsageLimitBody,
  groupResetAt?: string,
): BudgetLimit {
  const kind = OWNERS.get(id.slice(0, id.indexOf('/'))) ?? 'key';
  const slug = slugOf(kind, id);
  return {
    id: `${id}|${type}|${bucket ?? name}`,
    name: kind === 'policy' ? slug : name,
    slot: workspace ?? '',
    owner: { kind, id, slug, bucket },
    type,
    limit,
    alertAt,
    schedule: compileSchedule(resets, groupResetAt),
  };
}

/** The last part of the id: of a policy without its Kind, of a token the subject, which may have slashes of its own. */
function slugOf(kind: BudgetOwner['kind'], id: string): string {
  if (id.startsWith(TOKEN)) return id.split('/').slice(SUBJECT).join('/');
  const last = id.slice(id.lastIndexOf('/') + 1);
  return kind === 'policy' ? last.slice(last.indexOf(':') + 1) : last;
}

/** `token/workspace/issuer/subject` */
const TOKEN = 'token/';
const SUBJECT = 3;

/** When a budget begins anew. */
export const compileSchedule = ({ reset, firstResetAt, resetAt }: Resets, groupResetAt?: string): Schedule =>
  toSchedule({ reset: toReset(reset), firstResetAt, resetsAt: [resetAt, groupResetAt] });

type Resets = Pick<UsageLimitBody, 'reset' | 'firstResetAt' | 'resetAt'>;

function toReset(reset: UsageLimitBody['reset']): Parameters<typeof toSchedule>[0]['reset'] {
  if (reset?.days !== undefined) return { days: reset.days };
  return reset?.period === undefined ? undefined : { period: reset.period };
}
