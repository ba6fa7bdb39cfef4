import { z } from 'zod';
import { defineCheckEntry } from '../../check.ts';
import { BOTH, baseUrl, called, id, secret } from './fields.ts';

export const panwIntercept = defineCheckEntry({
  id: 'panw-prisma-airs.intercept',
  summary: 'Passes unless Prisma AIRS of Palo Alto Networks blocks the text.',
  phases: BOTH,
  callsOut: true,
  credential: {
    fields: [secret('AIRS_API_KEY', 'The API key.'), baseUrl('https://service.api.aisecurity.paloaltonetworks.com')],
  },
  parameters: z.strictObject({
    profile_name: id('profile_name is the name of the security profile.').optional(),
    profile_id: id('profile_id is the id of the security profile.').optional(),
    ai_model: id('ai_model is the model in reports.').default('unknown-model'),
    app_user: id('app_user is the user in reports.').default('gw-gateway'),
    app_name: id('app_name is the application in reports, behind gw-.').optional(),
    scan_scope: z
      .enum(['last_message', 'last_user_message', 'user_messages', 'all_messages'])
      .default('last_message')
      .meta({ description: 'scan_scope are the messages of a request that are scanned.' }),
    ...called(),
  }),
});
