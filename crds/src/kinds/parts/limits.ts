/** Rate limits and budgets. Rules: docs/behaviour/limits.md. */
import { z } from 'zod';
import { dateTime, decimal, int, mapList, pattern, type Rule, withRules } from '../../schema/index.ts';

export const RATE_UNITS = ['rps', 'rpm', 'rph', 'rpd', 'rpw'] as const;
export type RateUnit = (typeof RATE_UNITS)[number];

/** Largest value of a limit; far below 2^53. */
const MAX_COUNT = 1_000_000_000_000;

export const limitType = z.enum(['requests', 'tokens']).meta({ description: 'type is what is counted.' });
export const rateUnit = <const U extends readonly RateUnit[]>(units: U) =>
  z.enum(units).meta({ description: 'unit is the window: requests or tokens per second, minute, hour, day or week.' });
export const rateValue = int('value is the number of requests or tokens per window.', 1, MAX_COUNT);

/** Fixed-window limits, at most one per type and unit. */
export const rateLimits = <const U extends readonly RateUnit[]>(units: U, max = 10) =>
  mapList(z.strictObject({ type: limitType, unit: rateUnit(units), value: rateValue }), ['type', 'unit'], {
    description: 'rateLimits are the most requests or tokens per window; a request must pass all of them.',
    max,
  });

/** Units that owners other than keys and policies may use. */
export const COARSE_UNITS = ['rpm', 'rph', 'rpd'] as const;

/** Largest budget in US dollars: one of 2^53 nano-dollars, which numbers hold exactly. */
const MAX_DOLLARS = 9_007_199;

export const BUDGET_TYPES = ['cost', 'tokens', 'requests'] as const;

export const budgetType = z.enum(BUDGET_TYPES).default('cost').meta({ description: 'type is what is counted.' });

/** Size and resets of a budget. */
export const budgetFields = {
  creditLimit: decimal(
    'creditLimit is the size of the budget in US dollars, up to 9007199, or, by type, in whole tokens or requests; at least 1, 100 for tokens.',
  ),
  alertThreshold: decimal('alertThreshold is the use at which one notice is sent; below creditLimit.').optional(),
  periodicReset: z
    .enum(['weekly', 'monthly'])
    .meta({ description: 'periodicReset resets the budget on Mondays or on the 1st of the month, at 00:00 UTC.' })
    .optional(),
  periodicResetDays: int('periodicResetDays is the number of days between resets, at 00:00 UTC.', 1, 365).optional(),
  nextUsageResetAt: dateTime('nextUsageResetAt is the first reset, at 00:00 UTC of that day.').optional(),
  resetUsageAt: dateTime(
    'resetUsageAt is one more reset, at exactly that time: what was used before counts no more.',
  ).optional(),
};

interface Budget {
  readonly type: string;
  readonly creditLimit: string;
  readonly alertThreshold?: string | undefined;
  readonly periodicReset?: string | undefined;
  readonly periodicResetDays?: number | undefined;
}

/** The rules of a budget; `sample` is a complete node around the members they read. */
export const budgetRules = (sample: object): readonly Rule<Budget>[] => [
  {
    cel: '!has(self.periodicReset) || !has(self.periodicResetDays)',
    message: 'periodicReset and periodicResetDays exclude each other',
    at: 'periodicResetDays',
    reason: 'FieldValueForbidden',
    holds: ({ periodicReset, periodicResetDays }) => periodicReset === undefined || periodicResetDays === undefined,
    valid: [
      { ...sample, creditLimit: '50', periodicReset: 'weekly' },
      { ...sample, creditLimit: '50', periodicResetDays: 30 },
    ],
    invalid: [{ ...sample, creditLimit: '50', periodicReset: 'weekly', periodicResetDays: 30 }],
  },
  {
    cel: '!has(self.alertThreshold) || double(self.alertThreshold) < double(self.creditLimit)',
    message: 'alertThreshold must be below creditLimit',
    at: 'alertThreshold',
    holds: ({ alertThreshold, creditLimit }) =>
      alertThreshold === undefined || Number(alertThreshold) < Number(creditLimit),
    valid: [{ ...sample, creditLimit: '50', alertThreshold: '49.99' }],
    invalid: [
      { ...sample, creditLimit: '50', alertThreshold: '50' },
      { ...sample, creditLimit: '9', alertThreshold: '10' },
    ],
  },
  {
    cel: "double(self.creditLimit) >= (has(self.type) && self.type == 'tokens' ? 100.0 : 1.0)",
    message: 'creditLimit must be at least 1, or 100 tokens',
    at: 'creditLimit',
    holds: ({ type, creditLimit }) => Number(creditLimit) >= (type === 'tokens' ? 100 : 1),
    valid: [
      { ...sample, creditLimit: '1' },
      { ...sample, type: 'tokens', creditLimit: '100' },
      { ...sample, type: 'requests', creditLimit: '1' },
    ],
    invalid: [
      { ...sample, creditLimit: '0.5' },
      { ...sample, type: 'tokens', creditLimit: '99' },
    ],
  },
  {
    cel: `(has(self.type) && self.type != 'cost') || double(self.creditLimit) <= ${MAX_DOLLARS}.0`,
    message: `creditLimit must be at most ${MAX_DOLLARS} US dollars`,
    at: 'creditLimit',
    holds: ({ type, creditLimit }) => type !== 'cost' || Number(creditLimit) <= MAX_DOLLARS,
    valid: [
      { ...sample, creditLimit: '9007199' },
      { ...sample, type: 'tokens', creditLimit: '999999999999' },
    ],
    invalid: [
      { ...sample, creditLimit: '9007199.000000001' },
      { ...sample, creditLimit: '999999999999' },
    ],
  },
  {
    cel: "!has(self.type) || self.type == 'cost' || !self.creditLimit.contains('.')",
    message: 'creditLimit must be a whole number of tokens or requests',
    at: 'creditLimit',
    holds: ({ type, creditLimit }) => type === 'cost' || !creditLimit.includes('.'),
    valid: [{ ...sample, creditLimit: '1.5' }],
    invalid: [
      { ...sample, type: 'tokens', creditLimit: '100.5' },
      { ...sample, type: 'requests', creditLimit: '10.5' },
    ],
  },
  {
    cel: "!has(self.type) || self.type == 'cost' || !has(self.alertThreshold) || !self.alertThreshold.contains('.')",
    message: 'alertThreshold must be a whole number of tokens or requests',
    at: 'alertThreshold',
    holds: ({ type, alertThreshold }) => type === 'cost' || alertThreshold?.includes('.') !== true,
    valid: [{ ...sample, creditLimit: '1.5', alertThreshold: '1.2' }],
    invalid: [{ ...sample, type: 'tokens', creditLimit: '200', alertThreshold: '100.5' }],
  },
];

const usageLimit = withRules(
  z.strictObject({
    name: pattern(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'a name of lower-case letters, digits and dashes', 63).meta({
      description: 'name identifies the budget and its counter.',
    }),
    type: budgetType,
    ...budgetFields,
  }),
  budgetRules({ name: 'main' }),
);

/** Budgets, by name. */
export const usageLimits = (max = 8) =>
  mapList(usageLimit, ['name'], {
    description: 'usageLimits are budgets; requests are refused when any of them is used up.',
    max,
  });
