import { z } from 'zod';
import { defineCheckEntry } from '../../check.ts';
import { BOTH, baseUrl, called, id, secret } from './fields.ts';

export const zscalerGuardrails = defineCheckEntry({
  id: 'zscaler.guardrails',
  aliases: ['zscaler.zscalerprotect'],
  summary: 'Passes unless a Zscaler AI Guard policy or one of its detectors blocks the text.',
  phases: BOTH,
  callsOut: true,
  credential: { fields: [secret('zscalerApiKey', 'The API key.'), baseUrl('https://api.zseclipse.net')] },
  parameters: z.strictObject({ policyId: id('policyId is the policy that applies.'), ...called(10_000) }),
});
