import { z } from 'zod';
import { defineCheckEntry } from '../../check.ts';
import { API_KEY, BOTH, called, neededSetting, setting } from './fields.ts';

export const javelinGuardrails = defineCheckEntry({
  id: 'javelin.guardrails',
  summary: 'Passes when no guardrail of the Javelin application rejects the text.',
  phases: BOTH,
  callsOut: true,
  credential: {
    fields: [
      API_KEY,
      neededSetting('application', 'The application whose guardrails apply.'),
      setting('domain', 'The domain of the service; default api-dev.javelin.live.'),
      setting('baseUrl', 'The URL of the service; default https://DOMAIN.'),
    ],
  },
  parameters: z.strictObject(called()),
});
