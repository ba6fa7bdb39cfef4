import { z } from 'zod';
import { defineCheckEntry } from '../../check.ts';
import { API_KEY, baseUrl, called, INPUT, OUTPUT, oneOf } from './fields.ts';

const credential = { fields: [API_KEY, baseUrl('https://api.pillarseclabs.com')] };
const SCANNERS = 'scanners are the kinds of findings that are looked for.';

export const pillarScanPrompt = defineCheckEntry({
  id: 'pillar.scanPrompt',
  summary: 'Passes when the scanners of Pillar find nothing in the prompt.',
  phases: INPUT,
  callsOut: true,
  credential,
  parameters: z.strictObject({
    scanners: oneOf(['prompt_injection', 'pii', 'secrets', 'toxic_language', 'invisible_characters'], SCANNERS),
    ...called(),
  }),
});

export const pillarScanResponse = defineCheckEntry({
  id: 'pillar.scanResponse',
  summary: 'Passes when the scanners of Pillar find nothing in the answer.',
  phases: OUTPUT,
  callsOut: true,
  credential,
  parameters: z.strictObject({ scanners: oneOf(['pii', 'secrets', 'toxic_language'], SCANNERS), ...called() }),
});
