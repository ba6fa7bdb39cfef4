/** What a re-rating did, by model. */
import type { ReRatedRow } from '@gatehouse/gateway';

export interface Total {
  /** `provider__model`, as filters name it. */
  readonly model: string;
  rows: number;
  changed: number;
  /** That do not say all that their price depends on. */
  leftUsage: number;
  /** Whose account the resources do not have. */
  leftAccount: number;
  /** Nano-dollars, of all rows. */
  before: bigint;
  after: bigint;
}

export interface Totals {
  add(rows: readonly ReRatedRow[]): void;
  /** The largest difference first. */
  all(): readonly Total[];
  sum(): Total;
}

/** Models that are told apart: rows of others are summed up in one line. */
const MAX_MODELS = 1_000;
const OTHERS = '(others)';

export function createTotals(): Totals {
  const totals = new Map<string, Total>();
  const totalOf = (name: string): Total => {
    const model = totals.has(name) || totals.size < MAX_MODELS ? name : OTHERS;
    const total = totals.get(model) ?? nothing(model);
    totals.set(model, total);
    return total;
  };
  return {
    add: (rows) => {
      for (const row of rows) count(totalOf(`${row.provider}__${row.model}`), row);
    },
    all: () =>
      [...totals.values()].sort((a, b) => compare(differenceOf(b), differenceOf(a)) || (a.model < b.model ? -1 : 1)),
    sum: () => {
      const sum = nothing('all');
      for (const total of totals.values()) {
        sum.rows += total.rows;
        sum.changed += total.changed;
        sum.leftUsage += total.leftUsage;
        sum.leftAccount += total.leftAccount;
        sum.before += total.before;
        sum.after += total.after;
      }
      return sum;
    },
  };
}

const nothing = (model: string): Total => ({
  ...{ model, rows: 0, changed: 0, leftUsage: 0, leftAccount: 0 },
  ...{ before: 0n, after: 0n },
});

function count(total: Total, { before, after, kind }: ReRatedRow): void {
  total.rows += 1;
  if (kind === 'changed') total.changed += 1;
  if (kind === 'usage') total.leftUsage += 1;
  if (kind === 'account') total.leftAccount += 1;
  total.before += BigInt(before);
  total.after += BigInt(after);
}

const differenceOf = ({ before, after }: Total): bigint => (after > before ? after - before : before - after);

const compare = (a: bigint, b: bigint): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

const NANO_DIGITS = 9;
const SHOWN_DIGITS = 6;

/** Nano-dollars as dollars with six decimal places, cut. */
export function dollarsOf(nano: bigint): string {
  const text = String(nano < 0n ? -nano : nano).padStart(NANO_DIGITS + 1, '0');
  const whole = text.slice(0, -NANO_DIGITS);
  return `${nano < 0n ? '-' : ''}${whole}.${text.slice(-NANO_DIGITS).slice(0, SHOWN_DIGITS)}`;
}

const COLUMNS: readonly (readonly [name: string, of: (total: Total) => string])[] = [
  ['MODEL', ({ model }) => model],
  ['ROWS', ({ rows }) => String(rows)],
  ['CHANGED', ({ changed }) => String(changed)],
  ['LEFT', ({ leftUsage, leftAccount }) => String(leftUsage + leftAccount)],
  ['USD BEFORE', ({ before }) => dollarsOf(before)],
  ['USD AFTER', ({ after }) => dollarsOf(after)],
  ['DIFFERENCE', ({ before, after }) => dollarsOf(after - before)],
];

/** A line for each model, and one for all of them. */
export function tableOf(totals: Totals): readonly string[] {
  const rows = [...totals.all(), totals.sum()].map((total) => COLUMNS.map(([, of]) => of(total)));
  const all = [COLUMNS.map(([name]) => name), ...rows];
  const widths = COLUMNS.map((_, at) => Math.max(...all.map((cells) => cells[at]?.length ?? 0)));
  return all.map((cells) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** For other programs; amounts are texts of nano-dollars, which may be larger than their numbers. */
export const toJson = ({ model, rows, changed, leftUsage, leftAccount, before, after }: Total): object => ({
  ...{ model, rows, changed, left: { usage: leftUsage, account: leftAccount } },
  ...{ cost_nano_before: String(before), cost_nano_after: String(after) },
});
