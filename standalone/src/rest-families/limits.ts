/** Budgets and rate limits. */
import { isObject } from '@gatehouse/crds';
import { type Body, type Path, Refused } from './family.ts';
import type { Field, Fields } from './fields.ts';

/** Nano-dollars are the smallest amounts. */
const DECIMALS = 9;

/** A decimal without exponent and without zeros at its end. */
const decimalText = (value: number): string => value.toFixed(DECIMALS).replace(/\.?0+$/, '');

const withoutZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

/** Amounts are texts in resources and numbers in bodies. Throws Refused for more digits than a number has. */
export function toAmount(value: unknown, path: Path): number {
  const amount = Number(value);
  if (decimalText(amount) === withoutZeros(String(value))) return amount;
  throw new Refused(path, 'the amount has more digits than the management API keeps');
}

export const fromAmount = (value: unknown): string => decimalText(Number(value));

const AMOUNT: Pick<Field, 'encode' | 'decode'> = {
  encode: (value, { path }) => toAmount(value, path),
  decode: fromAmount,
};

/** Size and resets of a budget. */
export const BUDGET_FIELDS: Fields = {
  creditLimit: { rest: 'credit_limit', ...AMOUNT },
  alertThreshold: { rest: 'alert_threshold', ...AMOUNT },
  periodicReset: { rest: 'periodic_reset' },
  periodicResetDays: { rest: 'periodic_reset_days' },
  nextUsageResetAt: { rest: 'next_usage_reset_at' },
};

type Row = Readonly<Record<string, unknown>>;

const rowsOf = (value: unknown): readonly Row[] => (Array.isArray(value) ? value : [value]).filter(isObject);

function encodeLimit(limit: Row, path: Path): Row {
  const { name, type, ...budget } = limit;
  const amounts = ['creditLimit', 'alertThreshold'] as const;
  const numbers = amounts.flatMap((member) =>
    budget[member] === undefined ? [] : [[member, toAmount(budget[member], [...path, member])] as const],
  );
  const members = Object.entries({ ...budget, ...Object.fromEntries(numbers) });
  const named = members.flatMap(([member, value]) => {
    const rest = BUDGET_FIELDS[member]?.rest;
    return rest === undefined || value === undefined ? [] : [[rest, value] as const];
  });
  return { id: name, type, ...Object.fromEntries(named) };
}

/** The next reset that is shown follows from a reset by the week or by the month. */
function decodeLimit(shown: Row): Row {
  const { id, type, credit_limit, alert_threshold, periodic_reset, periodic_reset_days, next_usage_reset_at } = shown;
  return {
    name: id,
    type,
    creditLimit: fromAmount(credit_limit),
    ...(typeof alert_threshold === 'number' ? { alertThreshold: fromAmount(alert_threshold) } : {}),
    ...(typeof periodic_reset === 'string' ? { periodicReset: periodic_reset } : {}),
    ...(typeof periodic_reset_days === 'number' ? { periodicResetDays: periodic_reset_days } : {}),
    ...(typeof next_usage_reset_at === 'string' && typeof periodic_reset !== 'string'
      ? { nextUsageResetAt: next_usage_reset_at }
      : {}),
  };
}

/** The limits of keys and accounts. */
export const LIMIT_FIELDS: Fields = {
  usageLimits: {
    rest: 'usage_limits',
    encode: (value, { path }) => rowsOf(value).map((limit, i) => encodeLimit(limit, [...path, i])),
    decode: (shown) => rowsOf(shown).map(decodeLimit),
  },
  rateLimits: {
    rest: 'rate_limits',
    decode: (shown) => (rowsOf(shown).length === 0 ? undefined : shown),
  },
};

/**
 * The next reset of a budget moves with its periods: it counts as served where the resource does not say it, says a day that is over,
 * or says the day that is shown.
 */
export function settleLimits(served: Body, wanted: Body): Body {
  const before = rowsOf(served['usage_limits']);
  if (before.length === 0) return served;
  const rows = rowsOf(wanted['usage_limits']);
  const settled = before.map((row) => {
    const same = rows.find(({ id }) => id === row['id']);
    if (same === undefined) return row;
    const { next_usage_reset_at: shown, ...rest } = row;
    const given = same['next_usage_reset_at'];
    if (given === undefined) return rest;
    const isOver = Date.parse(String(given)) < Date.now();
    const isSameDay = String(given).slice(0, 10) === String(shown).slice(0, 10);
    return { ...rest, next_usage_reset_at: isOver || isSameDay ? given : shown };
  });
  return { ...served, usage_limits: settled };
}
