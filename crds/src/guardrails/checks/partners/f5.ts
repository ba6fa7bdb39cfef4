import { z } from 'zod';
import { defineCheckEntry } from '../../check.ts';
import { API_KEY, BOTH, baseUrl, called, id, redact, setting } from './fields.ts';

export const f5Scan = defineCheckEntry({
  id: 'f5-guardrails.scan',
  summary: 'Passes unless F5 AI Guardrails flags or blocks the text.',
  phases: BOTH,
  callsOut: true,
  transforms: true,
  credential: {
    fields: [
      API_KEY,
      setting('calypsoUrl', 'The URL of the service, as baseUrl.'),
      baseUrl('https://us1.calypsoai.app'),
    ],
  },
  parameters: z.strictObject({
    projectId: id('projectId is the project whose scanners apply.'),
    redact: redact('what the scanners of the project redact'),
    ...called(),
  }),
});
