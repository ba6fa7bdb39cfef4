import { z } from 'zod';
import { defineCheckEntry } from '../../check.ts';
import { API_KEY, BOTH, baseUrl, called, id, setting } from './fields.ts';

export const lassoClassify = defineCheckEntry({
  id: 'lasso.classify',
  summary: 'Passes unless a finding of Lasso in the conversation asks to block it. Requests of the Responses API pass.',
  phases: BOTH,
  callsOut: true,
  credential: {
    fields: [
      API_KEY,
      setting('apiEndpoint', 'The URL of the service, as baseUrl.'),
      baseUrl('https://server.lasso.security'),
    ],
  },
  parameters: z.strictObject({
    conversationId: id('conversationId groups the messages of a conversation.').optional(),
    userId: id('userId is the user to whom findings are assigned.').optional(),
    ...called(),
  }),
});
