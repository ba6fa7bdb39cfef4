/** What a gateway reports of its budgets, and what the operator tells it of them: `/internal/usage` of the admin listener. */
import { z } from 'zod';

export const USAGE_PATH = '/internal/usage';

/** Rows of one answer; the next one has those that follow. */
export const MAX_USAGE_ROWS = 500;

/** Longest id: kind, workspace, name and budget, or the values of a policy's group, which are cut to fit. */
const MAX_ID = 4_096;

const id = z.string().max(MAX_ID);
/** Nano-dollars, tokens or requests. */
const amount = z.int().min(0);
const timeMs = z.int().min(0);
/** Of a counter in its store: another one when that came back empty. */
const generation = z.string().max(128);

/** The counter of a budget in its current period. */
export const budgetRow = z.object({
  /** Unique among the counters. */
  id,
  /** The workspace that owns the counter; empty for the organisation. */
  slot: z.string().max(253),
  owner: z.object({
    kind: z.enum(['key', 'workspace', 'provider', 'access', 'policy']),
    /** Of the Snapshot entry that has the budget. */
    id,
    slug: z.string().max(MAX_ID),
    /** Of a policy: the values that the counter is for. */
    bucket: z.string().max(MAX_ID).optional(),
  }),
  /** Of the budget, among those of its owner. */
  name: z.string().max(253),
  type: z.enum(['cost', 'tokens', 'requests']),
  limit: amount,
  /** Over all processes, as far as this one knows. */
  used: amount,
  /** The use at which a notice is sent. */
  alertAt: amount.optional(),
  periodStartMs: timeMs,
  /** Absent: the budget is never reset. */
  resetsAtMs: timeMs.optional(),
  generation,
});

export type BudgetRow = Readonly<z.output<typeof budgetRow>>;

/** The answer to `GET /internal/usage`. */
export const usageReport = z.object({
  /** Changes when the process starts again: its sequence begins anew. */
  process: z.string().max(64),
  /** To be sent back as `after`, for what has changed since. */
  sequence: z.int().min(0),
  /** Further rows follow. */
  more: z.boolean(),
  budgets: z.array(budgetRow).max(MAX_USAGE_ROWS),
});

export type UsageReport = Readonly<z.output<typeof usageReport>>;

/**
 * The body of `POST /internal/usage`: totals of counters whose store may have lost them. The process counts on from those of the
 * same period and another generation than it knows.
 */
export const usageTotals = z.object({
  totals: z
    .array(z.object({ id, slot: z.string().max(253), periodStartMs: timeMs, generation, used: amount }))
    .max(MAX_USAGE_ROWS),
});

export type UsageTotal = Readonly<z.output<typeof usageTotals>['totals'][number]>;

/** Path of the operator's snapshot service for the management API: `?object=Kind/namespace/name`. */
export const OBJECT_USAGE_PATH = '/v1/usage';

/** Counters of one object that the operator remembers. */
export const MAX_OBJECT_COUNTERS = 1_000;

/** The answer: the counters of the object that pods have reported. */
export const objectUsage = z.object({ counters: z.array(budgetRow).max(MAX_OBJECT_COUNTERS) });

export type ObjectUsage = Readonly<z.output<typeof objectUsage>>;

const NANO_DIGITS = 9;

/** An amount as people write it: US dollars, or a count. */
export function formatAmount(type: BudgetRow['type'], amountOf: number): string {
  if (type !== 'cost') return String(amountOf);
  const digits = String(amountOf).padStart(NANO_DIGITS + 1, '0');
  const fraction = digits.slice(-NANO_DIGITS).replace(/0+$/, '');
  return `${digits.slice(0, -NANO_DIGITS)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The amount of a text that `formatAmount` has written; undefined for any other text. */
export function parseAmount(type: BudgetRow['type'], text: string): number | undefined {
  const parts = /^(\d{1,16})(?:\.(\d{1,9}))?$/.exec(text);
  if (parts === null || (type !== 'cost' && parts[2] !== undefined)) return undefined;
  const [, whole = '', fraction = ''] = parts;
  const value = Number(type === 'cost' ? `${whole}${fraction.padEnd(NANO_DIGITS, '0')}` : whole);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** How much of the budget is used, in whole percent; 100 only when nothing is left. */
export const usedPercent = ({ used, limit }: Pick<BudgetRow, 'used' | 'limit'>): number =>
  used >= limit ? 100 : Math.floor((used / limit) * 100);

/** Those with the least left come first. */
export const byNearestEnd = (
  a: Pick<BudgetRow, 'used' | 'limit' | 'id'>,
  b: Pick<BudgetRow, 'used' | 'limit' | 'id'>,
): number => b.used / b.limit - a.used / a.limit || (a.id < b.id ? -1 : 1);
