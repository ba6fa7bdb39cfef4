/** Picks one of the candidate indexes in proportion to its weight, never one of weight 0. `at` is uniform in [0, 1). */
export function pickWeighted(weights: readonly number[], candidates: readonly number[], at: number): number {
  const total = candidates.reduce((sum, i) => sum + (weights[i] ?? 0), 0);
  let left = at * total;
  let last = candidates[0] ?? 0;
  for (const i of candidates) {
    const weight = weights[i] ?? 0;
    if (weight <= 0) continue;
    last = i;
    left -= weight;
    if (left < 0) return i;
  }
  return last;
}
