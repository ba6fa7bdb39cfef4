import { z } from 'zod';
import { int, text } from '../schema/index.ts';

/** Response cache: docs/behaviour/caching.md. */
export const cache = z
  .strictObject({
    mode: z.enum(['simple', 'semantic']).meta({ description: 'mode is how an earlier answer is found.' }),
    maxAge: int(
      'maxAge is the lifetime of an answer in seconds; outside 60 to 7776000 the default of 604800 holds.',
      0,
      2_147_483_647,
    ).optional(),
    embeddingModel: text(
      'embeddingModel is the model whose vectors compare prompts, as @provider/model; for the mode semantic, which needs it.',
      256,
    ).optional(),
    similarityPercent: int(
      'similarityPercent is the least cosine similarity of prompts that share an answer, in percent, 95 when absent; for the mode semantic.',
      1,
      100,
    ).optional(),
  })
  .meta({ description: 'cache serves repeated requests from earlier answers.' });

export type CacheSettings = z.output<typeof cache>;
