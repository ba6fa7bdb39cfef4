import { z } from 'zod';
import { defineCheckEntry } from '../../check.ts';
import { API_KEY, BOTH, baseUrl, called, id } from './fields.ts';

export const catoAnalyze = defineCheckEntry({
  id: 'cato.analyze',
  summary: 'Passes unless Cato AI Security blocks the conversation; what it anonymizes is replaced.',
  phases: BOTH,
  callsOut: true,
  transforms: true,
  credential: { fields: [API_KEY, baseUrl('https://api.aisec.catonetworks.com')] },
  parameters: z.strictObject({
    userEmail: id('userEmail is the user whose policies apply.').optional(),
    keyAlias: id('keyAlias is the name of the key in reports.').optional(),
    ...called(),
  }),
});
