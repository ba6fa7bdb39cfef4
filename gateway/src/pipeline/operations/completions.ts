/** Text completions in the format of OpenAI. */
import { COMPLETIONS, type Operation } from './operation.ts';

export const complete: Operation = {
  id: 'complete',
  routes: [{ method: 'POST', path: '/v1/completions' }],
  protocol: 'completion',
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: true,
  errors: 'openai',
};
