import { z } from 'zod';
import { int } from '../schema/index.ts';
import { statusCodes } from './strategy.ts';

/** Retries of one target: docs/behaviour/retries.md. */
export const retry = z
  .strictObject({
    attempts: int('attempts is the number of retries after the first try; more than 5 counts as 5.', 0, 1_000_000),
    onStatusCodes: statusCodes(
      'onStatusCodes replaces the statuses that are retried (429, 500, 502, 503, 504, 529).',
    ).optional(),
    useRetryAfterHeader: z
      .boolean()
      .meta({ description: 'useRetryAfterHeader waits as long as the retry-after of a 429 says, 60 s at most.' })
      .optional(),
  })
  .meta({ description: 'retry repeats a failed call to the same target.' });

export type RetrySettings = z.output<typeof retry>;
