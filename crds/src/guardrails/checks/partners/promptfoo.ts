import { z } from 'zod';
import { defineCheckEntry } from '../../check.ts';
import { BOTH, baseUrl, called, INPUT, redact } from './fields.ts';

const credential = { fields: [baseUrl('https://api.promptfoo.dev')] };

export const promptfooGuard = defineCheckEntry({
  id: 'promptfoo.guard',
  summary: 'Passes when Promptfoo detects no jailbreak.',
  phases: INPUT,
  callsOut: true,
  credential,
  parameters: z.strictObject(called()),
});

export const promptfooHarm = defineCheckEntry({
  id: 'promptfoo.harm',
  summary: 'Passes when Promptfoo finds nothing harmful.',
  phases: BOTH,
  callsOut: true,
  credential,
  parameters: z.strictObject(called()),
});

export const promptfooPii = defineCheckEntry({
  id: 'promptfoo.pii',
  summary: 'Passes when Promptfoo finds no personal data.',
  phases: BOTH,
  callsOut: true,
  transforms: true,
  credential,
  parameters: z.strictObject({ redact: redact('the personal data found'), ...called() }),
});
