/** Values of a claim or of metadata, compared with those that are expected. */
import { compileRegex, type Pattern, type RegexVerdict, type RegexWork } from '../lib/regex.ts';

export type MatchType = 'exact' | 'contains' | 'containsAll' | 'regex';

/** `exhausted`: the patterns need more work than the request may do. */
export type ValueTest = (actual: readonly string[], work: RegexWork) => RegexVerdict | Promise<RegexVerdict>;

/** Values of one name that are looked at. */
const MAX_VALUES = 1_024;

/** Texts are compared; numbers and booleans as JSON writes them. */
export const textsOf = (value: unknown): readonly string[] =>
  [value]
    .flat()
    .slice(0, MAX_VALUES)
    .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
    .filter((one) => one !== undefined);

/** Made once for each check. */
export function compileValues(values: string | readonly string[], matchType: MatchType): ValueTest {
  const expected = [values].flat();
  switch (matchType) {
    case 'exact':
      return (actual) => expected.length === 1 && actual.length === 1 && actual[0] === expected[0];
    case 'contains':
      return (actual) => actual.some((value) => expected.some((part) => value.includes(part)));
    case 'containsAll':
      return (actual) => expected.every((part) => actual.some((value) => value.includes(part)));
    case 'regex': {
      const patterns = expected.map(compileRegex);
      return (actual, work) => matchesAny(patterns, actual, work);
    }
  }
}

async function matchesAny(
  patterns: readonly Pattern[],
  values: readonly string[],
  work: RegexWork,
): Promise<RegexVerdict> {
  for (const pattern of patterns) {
    for (const value of values) {
      const verdict = await pattern.test(value, work);
      if (verdict !== false) return verdict;
    }
  }
  return false;
}
