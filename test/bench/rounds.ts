/** The median; of an even number the mean of the middle two; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  if (!Number.isInteger(middle)) return sorted[Math.floor(middle)] ?? Number.NaN;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** The median of each member over the rounds; members that any round lacks are left out. */
export function medians<T extends object>(rounds: readonly T[]): { [K in keyof T]: number } {
  const names = Object.keys(rounds[0] ?? {}) as (keyof T)[]; // keys of a plain record
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((round) => Number(round[name])))])) as {
    [K in keyof T]: number;
  };
}

/**
 * Measures each subject once per round, A B C A B C: what drifts on the machine reaches all of them alike. Answers with the
 * rounds of each subject.
 */
export async function interleave<S, R>(
  subjects: readonly S[],
  rounds: number,
  measure: (subject: S, round: number) => Promise<R>,
): Promise<ReadonlyMap<S, readonly R[]>> {
  const results = new Map<S, R[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of subjects) results.get(subject)?.push(await measure(subject, round));
  }
  return results;
}

/** The median of the ratios of rounds that were measured one after the other: drift cancels within each pair. */
export function pairedRatio(a: readonly number[], b: readonly number[]): number {
  return median(a.map((value, round) => value / (b[round] ?? Number.NaN)));
}

/** The median of the differences of rounds that were measured one after the other. */
export function pairedDifference(a: readonly number[], b: readonly number[]): number {
  return median(a.map((value, round) => value - (b[round] ?? Number.NaN)));
}
