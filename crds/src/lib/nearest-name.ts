/** Names that are looked at, characters of each, and edits that a near one differs by: bounds the work for a wrong name. */
const MAX_KNOWN = 1_000;
const MAX_LENGTH = 64;
const MAX_EDITS = 3;
/** Pairs of characters: a few ms. */
const MAX_COMPARISONS = 40_000;

/** What several searches may compare together; they count it down. */
export interface ComparisonBudget {
  /** Pairs of characters. */
  left: number;
}

export const createComparisonBudget = (): ComparisonBudget => ({ left: MAX_COMPARISONS });

/** The known name closest to a mistyped one; undefined when none is close, or none was found within the budget. */
export function nearestName(
  name: string,
  known: Iterable<string>,
  budget: ComparisonBudget = createComparisonBudget(),
): string | undefined {
  const wanted = name.slice(0, MAX_LENGTH).toLowerCase();
  let best: string | undefined;
  let maxEdits = Math.min(MAX_EDITS, Math.max(1, Math.floor(wanted.length / 3)));
  let seen = 0;
  for (const candidate of known) {
    seen += 1;
    if (seen > MAX_KNOWN || budget.left <= 0) break;
    const to = candidate.slice(0, MAX_LENGTH).toLowerCase();
    const edits = countEdits({ from: wanted, to, maxEdits }, budget);
    if (edits > maxEdits) continue;
    best = candidate;
    maxEdits = edits - 1;
    if (edits === 0) break;
  }
  return best;
}

/** Two texts, and the edits that matter: a row holds only the columns that are at most so far from its diagonal. */
interface Pair {
  readonly from: string;
  readonly to: string;
  readonly maxEdits: number;
}

/**
 * Insertions, deletions, substitutions and swaps of neighbours between two texts (optimal string alignment); `maxEdits` + 1 as soon
 * as there are more.
 */
function countEdits(pair: Pair, budget: ComparisonBudget): number {
  const { from, to, maxEdits } = pair;
  const tooMany = maxEdits + 1;
  budget.left -= 1;
  if (Math.abs(from.length - to.length) > maxEdits) return tooMany;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: 2 * maxEdits + 1 }, (_, k) => Math.abs(k - maxEdits));
  for (let i = 1; i <= from.length; i += 1) {
    budget.left -= last.length;
    const row = nextRow(pair, i, last, beforeLast);
    if (Math.min(...row) > maxEdits) return tooMany;
    beforeLast = last;
    last = row;
  }
  return last[to.length - from.length + maxEdits] ?? tooMany;
}

/** The row of the first `i` characters of `from`; its column `k` is of the first `i + k - maxEdits` ones of `to`. */
function nextRow(
  { from, to, maxEdits }: Pair,
  i: number,
  last: readonly number[],
  beforeLast: readonly number[],
): number[] {
  const row: number[] = [];
  for (let k = 0; k < last.length; k += 1) {
    const j = i + k - maxEdits;
    if (j <= 0 || j > to.length) {
      row.push(j === 0 ? i : maxEdits + 1);
      continue;
    }
    const substituted = (last[k] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
    const swapped = endInSwap(from, i, to, j) ? (beforeLast[k] ?? 0) + 1 : substituted;
    const removed = (last[k + 1] ?? maxEdits) + 1;
    const inserted = (row[k - 1] ?? maxEdits) + 1;
    row.push(Math.min(substituted, swapped, removed, inserted));
  }
  return row;
}

/** Whether the first `i` and `j` characters end in the same two, the other way round. */
const endInSwap = (from: string, i: number, to: string, j: number): boolean =>
  i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
