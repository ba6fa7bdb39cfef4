/** Chat completions in the format of OpenAI. */
import { COMPLETIONS, type Operation } from './operation.ts';

export const chatComplete: Operation = {
  id: 'chatComplete',
  routes: [{ method: 'POST', path: '/v1/chat/completions' }],
  protocol: 'chat',
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: true,
  errors: 'openai',
};
