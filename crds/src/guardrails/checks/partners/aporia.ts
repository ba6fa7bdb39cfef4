import { z } from 'zod';
import { defineCheckEntry } from '../../check.ts';
import { API_KEY, BOTH, baseUrl, called, id, setting } from './fields.ts';

const HOST = 'https://gr-prd.aporia.com';

export const aporiaValidateProject = defineCheckEntry({
  id: 'aporia.validateProject',
  summary: 'Passes when the policies of an Aporia project let the conversation pass.',
  phases: BOTH,
  callsOut: true,
  credential: { fields: [API_KEY, setting('apiEndpoint', 'The URL of the service, as baseUrl.'), baseUrl(HOST)] },
  parameters: z.strictObject({ projectID: id('projectID is the project whose policies apply.'), ...called() }),
});
