/** Shapes of limits of keys, accounts and grants. */
import { z } from 'zod';
import { dateTime } from './shapes.ts';

const type = z.enum(['cost', 'tokens', 'requests']);
const periodicReset = z.enum(['monthly', 'weekly']);

/** What a resource can have: whole numbers of up to 12 digits, and the nano-dollars of each dollar. */
const MAX_AMOUNT = 999_999_999_999;
const DECIMALS = 9;

const expected = (least: string): string =>
  `expected a number of at least ${least}, and at most 9007199 US dollars or ${MAX_AMOUNT} tokens or requests, with up to ${DECIMALS} decimal places`;

const amount = (least: string) =>
  z
    .number({ error: ({ input }) => (input === undefined ? undefined : expected(least)) })
    .min(0, { error: expected(least) })
    .max(MAX_AMOUNT, { error: expected(least) })
    .refine((value) => value < 0 || value > MAX_AMOUNT || !/\.\d{10}|e-/.test(String(value)), {
      error: expected(least),
    });

/** Size of a budget. */
export const creditLimit = amount('1, or 100 tokens');
export const alertThreshold = amount('0').nullable();

/** A budget as bodies have it; members that only answers have are accepted, and mean nothing. */
const usageLimit = z.strictObject({
  id: z.string().nullish(),
  type: type.nullish(),
  credit_limit: creditLimit.optional(),
  alert_threshold: alertThreshold.optional(),
  periodic_reset: periodicReset.nullish(),
  periodic_reset_days: z.int().nullish(),
  next_usage_reset_at: dateTime.nullish(),
  current_usage: z.unknown().optional(),
  last_reset_at: z.unknown().optional(),
  status: z.unknown().optional(),
});

/** One budget, or all of them. */
export const usageLimits = z.union([usageLimit, z.array(usageLimit)]).nullable();

/** Whether all budgets count anew from now on. */
export const resetUsage = z.boolean().nullish();

export const shownUsageLimit = z.object({
  id: z.string(),
  type,
  credit_limit: z.number(),
  alert_threshold: z.number().nullable(),
  periodic_reset: periodicReset.nullable(),
  periodic_reset_days: z.int().nullable(),
  next_usage_reset_at: dateTime.nullable(),
  current_usage: z.number(),
  last_reset_at: dateTime.nullable(),
  status: z.enum(['active', 'exhausted']),
});

/** One budget; a list where there are several. */
export const shownUsageLimits = z.union([shownUsageLimit, z.array(shownUsageLimit)]).nullable();

const rateLimit = z.strictObject({
  type: z.enum(['requests', 'tokens']),
  unit: z.enum(['rps', 'rpm', 'rph', 'rpd', 'rpw']),
  value: z.int(),
});

/** One limit, or all of them. */
export const rateLimits = z.union([rateLimit, z.array(rateLimit)]).nullable();

export const shownRateLimits = z.array(rateLimit);
