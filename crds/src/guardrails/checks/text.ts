/** Parameters of the checks that look at a text: docs/behaviour/guardrails.md#checks-of-texts. */
import { z } from 'zod';
import { atomicList } from '../../schema/index.ts';
import { defineCheckEntry } from '../check.ts';

/** Bounds of the lists and texts in parameters. */
const MAX_WORDS = 1_024;
const MAX_WORD = 1_024;

export const contains = defineCheckEntry({
  id: 'default.contains',
  summary: 'Passes when any, all or none of the words occur in the text, as they are written.',
  phases: ['input', 'output'],
  parameters: z.strictObject({
    words: atomicList(z.string().min(1).max(MAX_WORD), 'words are looked for as parts of the text.', MAX_WORDS),
    operator: z
      .enum(['any', 'all', 'none'])
      .default('any')
      .meta({ description: 'operator says how many of the words must occur.' }),
  }),
});

export const TEXT_CHECKS = [contains] as const;
