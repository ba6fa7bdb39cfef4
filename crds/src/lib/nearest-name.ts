/** Names that are compared, and characters of each: bounds the work for a wrong name. */
const MAX_KNOWN = 1_000;
const MAX_LENGTH = 64;

/** The known name closest to a mistyped one; undefined when none is close. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.slice(0, MAX_LENGTH).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  let seen = 0;
  for (const candidate of known) {
    seen += 1;
    if (seen > MAX_KNOWN) break;
    const distance = editDistance(wanted, candidate.slice(0, MAX_LENGTH).toLowerCase());
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours between two texts (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const substituted = (last[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : substituted;
      row.push(Math.min(substituted, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length] ?? 0;
}
