/** Limits that a token brings for its subject, where its issuer may set them: docs/behaviour/identity.md#limits-of-a-token. */
import { isObject } from '@gatehouse/crds';
import type { RateLimitBody, UsageLimitBody } from '@gatehouse/crds/snapshot';
import { AppError } from '../errors/index.ts';
import type { Claims } from '../lib/jwt/index.ts';
import type { IssuerRecord } from '../snapshot/index.ts';

export interface ClaimedLimits {
  readonly rateLimits: readonly RateLimitBody[];
  readonly usageLimits: readonly UsageLimitBody[];
}

const NONE: ClaimedLimits = { rateLimits: [], usageLimits: [] };
const MAX_RATES = 10;
const MAX_BUDGETS = 8;

/** Throws AppError KEY_INVALID: a limit that is not understood must not count as none. */
export function limitClaims(claims: Claims, { allowLimitClaims }: IssuerRecord): ClaimedLimits {
  if (!allowLimitClaims) return NONE;
  const usageLimits = listOf(claims, { name: 'usage_limits', max: MAX_BUDGETS, read: toBudget });
  if (new Set(usageLimits.map(({ name }) => name)).size < usageLimits.length) throw unreadable('usage_limits');
  return { rateLimits: listOf(claims, { name: 'rate_limits', max: MAX_RATES, read: toRateLimit }), usageLimits };
}

interface ListClaim<T> {
  readonly name: string;
  readonly max: number;
  readonly read: (item: unknown, index: number) => T | undefined;
}

function listOf<T>(claims: Claims, { name, max, read }: ListClaim<T>): readonly T[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (value === undefined || value === null) return [];
  const items: readonly unknown[] = Array.isArray(value) ? value : name === 'usage_limits' ? [value] : [undefined];
  if (items.length > max) throw unreadable(name);
  return items.map((item, i) => {
    const limit = read(item, i);
    if (limit === undefined) throw unreadable(name);
    return limit;
  });
}

const unreadable = (claim: string): AppError =>
  new AppError('KEY_INVALID', {
    detail: `Invalid API Key: the claim ${claim} of the token cannot be read`,
    param: claim,
  });

const UNITS: ReadonlySet<unknown> = new Set(['rps', 'rpm', 'rph', 'rpd', 'rpw']);

function toRateLimit(limit: unknown): RateLimitBody | undefined {
  const { type = 'requests', unit, value } = isObject(limit) ? limit : {};
  if ((type !== 'requests' && type !== 'tokens') || !UNITS.has(unit)) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) return undefined;
  return { type, unit: unit as RateLimitBody['unit'], value }; // one of UNITS
}

/** What a budget may have; another member could be a bound that is not known here. */
const MEMBERS: ReadonlySet<string> = new Set([
  ...['name', 'type', 'credit_limit', 'alert_threshold'],
  ...['periodic_reset', 'periodic_reset_days', 'next_usage_reset_at'],
]);
const NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

function toBudget(value: unknown, index: number): UsageLimitBody | undefined {
  if (!isObject(value) || !Object.keys(value).every((member) => MEMBERS.has(member))) return undefined;
  const { name = index === 0 ? 'main' : `main-${index + 1}`, type = 'cost' } = value;
  if (typeof name !== 'string' || !NAME.test(name) || !isBudgetType(type)) return undefined;
  const limit = toAmount(value['credit_limit'], type);
  const given = value['alert_threshold'] ?? undefined;
  const alertAt = given === undefined ? undefined : toAmount(given, type);
  const resets = resetsOf(value);
  if (limit === undefined || limit < LEAST[type] || resets === undefined) return undefined;
  if (given !== undefined && (alertAt === undefined || alertAt >= limit)) return undefined;
  return { name, type, limit, ...(alertAt === undefined ? {} : { alertAt }), ...resets };
}

const NANO_DIGITS = 9;
/** A dollar, 100 tokens, or one request. */
const LEAST = { cost: 10 ** NANO_DIGITS, tokens: 100, requests: 1 } as const;

type BudgetType = UsageLimitBody['type'];

const isBudgetType = (type: unknown): type is BudgetType => typeof type === 'string' && Object.hasOwn(LEAST, type);

/** A number, or its text, as an integer of nano-dollars, tokens or requests: digits are moved, nothing is multiplied. */
function toAmount(value: unknown, type: BudgetType): number | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  const parts = /^(\d{1,13})(?:\.(\d{1,9}))?$/.exec(text);
  if (parts === null || (type !== 'cost' && parts[2] !== undefined)) return undefined;
  const [, whole = '', fraction = ''] = parts;
  const amount = Number(type === 'cost' ? whole + fraction.padEnd(NANO_DIGITS, '0') : whole);
  return Number.isSafeInteger(amount) ? amount : undefined;
}

const MAX_DAYS = 365;

type Resets = Pick<UsageLimitBody, 'reset' | 'firstResetAt'>;

function resetsOf(value: Readonly<Record<string, unknown>>): Resets | undefined {
  const reset = resetOf(value['periodic_reset'] ?? undefined, value['periodic_reset_days'] ?? undefined);
  const first = value['next_usage_reset_at'] ?? undefined;
  if (reset === undefined || first === undefined) return reset;
  const firstMs = typeof first === 'string' ? Date.parse(first) : Number.NaN;
  if (Number.isNaN(firstMs)) return undefined;
  return { ...reset, firstResetAt: `${new Date(firstMs).toISOString().slice(0, 10)}T00:00:00Z` };
}

function resetOf(period: unknown, days: unknown): Pick<Resets, 'reset'> | undefined {
  if (days === undefined) {
    if (period === undefined) return {};
    return period === 'weekly' || period === 'monthly' ? { reset: { period } } : undefined;
  }
  const isInRange = typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= MAX_DAYS;
  return period === undefined && isInRange ? { reset: { days } } : undefined;
}
