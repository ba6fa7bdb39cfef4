import { z } from 'zod';
import { defineCheckEntry } from '../../check.ts';
import { API_KEY, BOTH, baseUrl, called } from './fields.ts';

const threshold = (what: string, name: string) =>
  z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .meta({ description: `${name} is the score for ${what} above which the check fails.` });

export const sydeguard = defineCheckEntry({
  id: 'sydelabs.sydeguard',
  summary: 'Passes when no score of Sydelabs Sydeguard is above its threshold.',
  phases: BOTH,
  callsOut: true,
  credential: { fields: [API_KEY, baseUrl('https://guard.sydelabs.ai')] },
  parameters: z.strictObject({
    prompt_injection_threshold: threshold('prompt injection', 'prompt_injection_threshold'),
    toxicity_threshold: threshold('toxic language', 'toxicity_threshold'),
    evasion_threshold: threshold('evasion', 'evasion_threshold'),
    ...called(),
  }),
});
