/** Values that are expected somewhere, and how they are compared. */
import { z } from 'zod';
import { patternProblem } from '../../patterns/index.ts';

const MAX_VALUE = 1_024;
const MAX_VALUES = 256;

/** One or several. */
export const expectedValues = (description: string) =>
  z.union([z.string().max(MAX_VALUE), z.array(z.string().max(MAX_VALUE)).min(1).max(MAX_VALUES)]).meta({ description });

export const matchType = z
  .enum(['exact', 'contains', 'containsAll', 'regex'])
  .default('exact')
  .meta({
    description:
      'matchType says how they are compared: exact (one value that is equal), contains (a value has one of them in it), ' +
      'containsAll (each of them is in a value), regex (one of them, as an RE2 pattern, matches a value).',
  });

export interface ExpectedValues {
  readonly values: string | readonly string[];
  readonly matchType: z.output<typeof matchType>;
}

/** The values that are patterns. */
export const patternsOf = ({ values, matchType }: ExpectedValues): readonly string[] =>
  matchType === 'regex' ? [values].flat() : [];

/** Why a value cannot be the pattern that it should be, or undefined. */
export const problemOfValues = (expected: ExpectedValues): string | undefined =>
  patternsOf(expected)
    .map((one) => patternProblem(one))
    .find((problem) => problem !== undefined);
