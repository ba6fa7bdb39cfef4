/** Parameters that several checks have. */
import { z } from 'zod';
import { MAX_PATTERN_LENGTH, patternProblem } from '../../patterns/index.ts';

/** Turns the finding around; what could not be decided stays an error. */
export const not = z
  .boolean()
  .default(false)
  .meta({ description: 'not turns the verdict around; errors stay errors.' });

/** A whole number that is not negative. */
export const bound = (description: string, byDefault: number) =>
  z.int().min(0).default(byDefault).meta({ description });

/** Refuses a range that no number is in. */
export const inOrder =
  <L extends string, G extends string>(least: L, greatest: G) =>
  (value: Readonly<Record<L | G, number>>, context: z.RefinementCtx): void => {
    if (value[least] <= value[greatest]) return;
    const message = `expected at most ${greatest}, which is ${value[greatest]}: no text could pass`;
    context.addIssue({ code: 'custom', path: [least], message });
  };

/** A pattern that RE2 can run. `toPattern`: of what is written. */
export const re2Pattern = (description: string, toPattern: (written: string) => string = (written) => written) =>
  z
    .string()
    .min(1)
    .max(MAX_PATTERN_LENGTH)
    .superRefine((written, context) => {
      const message = patternProblem(toPattern(written));
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .meta({ description });
