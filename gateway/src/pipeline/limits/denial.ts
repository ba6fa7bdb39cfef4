/** Denials of limits as errors of the client; docs/behaviour/limits.md#answers. */
import type { ErrorCode } from '@gatehouse/crds/errors';
import { type BudgetDenial, OVERFLOW_BUCKET } from '../../budgets/index.ts';
import { AppError } from '../../errors/index.ts';
import type { Denial, LimitWindow } from '../../limits/index.ts';
import { holderOf, type Owner, type OwnerKind, ownerOf } from './owner.ts';

/** Where a request is refused: before it is read, or for one of its targets. */
export type Phase = 'entry' | 'target';

const RATE_CODES: Readonly<Record<Phase, Readonly<Record<OwnerKind, ErrorCode>>>> = {
  entry: {
    key: 'KEY_RATE_LIMITED',
    workspace: 'WORKSPACE_RATE_LIMITED',
    provider: 'PROVIDER_RATE_LIMITED',
    integration: 'ACCESS_RATE_LIMITED',
    policy: 'POLICY_RATE_LIMITED',
  },
  target: {
    key: 'KEY_TOKENS_RATE_LIMITED',
    workspace: 'WORKSPACE_TOKENS_RATE_LIMITED',
    provider: 'PROVIDER_RATE_LIMITED',
    integration: 'ACCESS_RATE_LIMITED',
    policy: 'POLICY_RATE_LIMITED',
  },
};

const PERIODS: Readonly<Record<LimitWindow, string>> = {
  rps: 'second',
  rpm: 'minute',
  rph: 'hour',
  rpd: 'day',
  rpw: 'week',
};

/** The error of a full window. */
export function rateError({ demand, retryAfterMs }: Denial, phase: Phase, provider?: string): AppError {
  const owner = ownerOf(demand.subject);
  const { limit, unit, window, cost } = demand;
  const isTooMuch = cost > limit; // no window ever has room for it
  const asked = unit === 'tokens' && cost > 1 ? `; the request asks for ${cost}` : '';
  const advice = isTooMuch ? `, more than any window admits: ask for at most ${limit} output tokens` : '';
  const detail = `${textOf(owner)} exceeded its limit of ${limit} ${unit} per ${PERIODS[window]}${asked}${advice}`;
  const of = provider === undefined ? {} : { provider };
  return new AppError(RATE_CODES[phase][owner.kind], { detail, ...(isTooMuch ? {} : { retryAfterMs }), ...of });
}

const WORDS: Readonly<Record<OwnerKind, string>> = {
  key: 'API key',
  workspace: 'workspace',
  provider: 'provider',
  integration: 'integration access',
  policy: 'rate limit policy',
};

export const textOf = ({ kind, name, bucket, holder }: Owner): string =>
  `The ${holder ?? WORDS[kind]} ${kind === 'provider' ? '@' : ''}${name}${groupText(bucket)}`;

/** The group of a policy, if it is of one. */
function groupText(bucket: string | undefined): string {
  if (bucket === undefined) return '';
  return bucket === OVERFLOW_BUCKET
    ? ' (one counter for all groups beyond the most that it tells apart)'
    : ` (${bucket})`;
}

type BudgetOwner = BudgetDenial['budget']['owner'];

const BUDGET_CODES: Readonly<Record<Phase, Readonly<Record<BudgetOwner['kind'], ErrorCode>>>> = {
  entry: {
    key: 'KEY_BUDGET_EXHAUSTED',
    workspace: 'WORKSPACE_BUDGET_EXHAUSTED',
    provider: 'PROVIDER_BUDGET_EXHAUSTED',
    access: 'ACCESS_BUDGET_EXHAUSTED',
    policy: 'POLICY_BUDGET_EXHAUSTED',
  },
  target: {
    key: 'TARGET_KEY_BUDGET_EXHAUSTED',
    workspace: 'TARGET_WORKSPACE_BUDGET_EXHAUSTED',
    provider: 'PROVIDER_BUDGET_EXHAUSTED',
    access: 'ACCESS_BUDGET_EXHAUSTED',
    policy: 'POLICY_BUDGET_EXHAUSTED',
  },
};

const SUMMARIES: Readonly<Record<BudgetOwner['kind'], string>> = {
  key: 'API Key Usage Limit Exceeded: the API key',
  workspace: 'Workspace Usage Limit Exceeded: the workspace',
  provider: 'The provider',
  access: 'The integration access',
  policy: 'The usage limit policy',
};

/** The error of a budget that nothing is left of, or whose counters cannot be reached. */
export function budgetError({ budget, reason, resetsAtMs }: BudgetDenial, phase: Phase, provider?: string): AppError {
  const of = provider === undefined ? {} : { provider };
  if (reason === 'unavailable') return new AppError('LIMITS_UNAVAILABLE', { retryAfterMs: AWAY_AFTER_MS, ...of });
  const { owner, type, limit } = budget;
  const holder = holderOf(owner.id);
  const summary = holder === undefined ? SUMMARIES[owner.kind] : `API Key Usage Limit Exceeded: the ${holder}`;
  const name = `${summary} ${owner.kind === 'provider' ? '@' : ''}${owner.slug}`;
  const bucket = groupText(owner.bucket);
  const size = type === 'cost' ? `${limit / NANO} USD` : `${limit} ${type}`;
  if (reason === 'reserved') {
    const detail = `${name}${bucket} has reserved all that is left of its budget of ${size} for requests under way; try again when they have ended, or with fewer output tokens`;
    return new AppError(BUDGET_CODES[phase][owner.kind], { detail, retryAfterMs: RESERVED_AFTER_MS, ...of });
  }
  const reset = resetsAtMs === undefined ? '' : `; it begins anew at ${new Date(resetsAtMs).toISOString()}`;
  return new AppError(BUDGET_CODES[phase][owner.kind], {
    detail: `${name}${bucket} has used up its budget of ${size}${reset}`,
    ...of,
  });
}

/** Nano-dollars of a dollar. */
const NANO = 1_000_000_000;
/** `Retry-After` while requests under way have reserved what is left: one of them may end at any time, in ms. */
const RESERVED_AFTER_MS = 1_000;
/** `Retry-After` while counters cannot be reached, in ms. */
const AWAY_AFTER_MS = 1_000;
