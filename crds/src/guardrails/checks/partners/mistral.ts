import { z } from 'zod';
import { defineCheckEntry } from '../../check.ts';
import { API_KEY, BOTH, baseUrl, called, id, oneOf } from './fields.ts';

const CATEGORIES = [
  'sexual',
  'hate_and_discrimination',
  'violence_and_threats',
  'dangerous_and_criminal_content',
  'selfharm',
  'health',
  'financial',
  'law',
  'pii',
] as const;

export const mistralModerateContent = defineCheckEntry({
  id: 'mistral.moderateContent',
  summary: 'Passes when Mistral moderation finds none of the categories.',
  phases: BOTH,
  callsOut: true,
  credential: { fields: [API_KEY, baseUrl('https://api.mistral.ai')] },
  parameters: z.strictObject({
    categories: oneOf(CATEGORIES, 'categories are those that the check fails for.'),
    model: id('model is the moderation model.').default('mistral-moderation-latest'),
    ...called(),
  }),
});
