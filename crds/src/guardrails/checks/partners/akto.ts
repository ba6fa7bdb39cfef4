import { z } from 'zod';
import { defineCheckEntry } from '../../check.ts';
import { API_KEY, BOTH, called, setting } from './fields.ts';

export const aktoScan = defineCheckEntry({
  id: 'akto.scan',
  summary: 'Passes when Akto allows the text.',
  phases: BOTH,
  callsOut: true,
  credential: {
    fields: [
      API_KEY,
      setting('apiDomain', 'The domain of the service; needed without baseUrl.'),
      setting('baseUrl', 'The URL of the service; default https://DOMAIN.'),
    ],
  },
  parameters: z.strictObject(called()),
});
