/** Parameters that several checks have. */
import { z } from 'zod';

/** Turns the finding around; what could not be decided stays an error. */
export const not = z
  .boolean()
  .default(false)
  .meta({ description: 'not turns the verdict around; errors stay errors.' });

/** A whole number that is not negative. */
export const bound = (description: string, byDefault: number) =>
  z.int().min(0).default(byDefault).meta({ description });
