/** The counters of one object, as the pods of fleets have reported them. */
import { type BudgetRow, MAX_OBJECT_COUNTERS, type UsageTotal } from '@gatehouse/crds/usage';

/** A period may have begun this much later by the clock of a pod, in ms. */
const MAX_SKEW_MS = 60_000;

export type Counters = Map<string, BudgetRow>;

/** Merges a row: within a period the largest use counts, and a newer period replaces an older one. */
export function mergeRow(counters: Counters, row: BudgetRow, nowMs: number): { readonly changed: boolean } {
  const known = counters.get(row.id);
  if (isOver(row, nowMs) || row.periodStartMs > nowMs + MAX_SKEW_MS) return { changed: false };
  if (known === undefined) return { changed: insert(counters, row) };
  if (row.periodStartMs < known.periodStartMs) return { changed: false };
  const isNewer = row.periodStartMs > known.periodStartMs;
  const isLarger = isNewer || row.used >= known.used;
  const total = isLarger ? row : known;
  // A pod that has not reached its store yet knows no generation.
  counters.set(row.id, { ...row, used: total.used, generation: total.generation || known.generation });
  return { changed: true };
}

/** Of an object with as many counters as there may be, only one that is used up is taken, in place of the one with the most left. */
function insert(counters: Counters, row: BudgetRow): boolean {
  if (counters.size >= MAX_OBJECT_COUNTERS) {
    if (row.used < row.limit) return false;
    const [least] = [...counters.values()].sort((a, b) => a.used / a.limit - b.used / b.limit);
    if (least === undefined || least.used >= least.limit) return false;
    counters.delete(least.id);
  }
  counters.set(row.id, row);
  return true;
}

/** Whether the period of the counter has ended. */
export const isOver = ({ resetsAtMs = Number.POSITIVE_INFINITY }: BudgetRow, nowMs: number): boolean =>
  resetsAtMs <= nowMs;

/** What the store of a pod has lost: the known total, where the row is of another life of the counter and lower. */
export function lostTotal(counters: Counters, row: BudgetRow): UsageTotal | undefined {
  const known = counters.get(row.id);
  if (known === undefined || known.periodStartMs !== row.periodStartMs) return undefined;
  return known.generation !== row.generation && known.used > row.used ? toTotal(known) : undefined;
}

export const toTotal = ({ id, slot, periodStartMs, generation, used }: BudgetRow): UsageTotal => ({
  ...{ id, slot, periodStartMs, generation, used },
});
