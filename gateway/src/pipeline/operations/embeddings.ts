/** Embeddings in the format of OpenAI. */
import { COMPLETIONS, type Operation } from './operation.ts';

export const embed: Operation = {
  id: 'embed',
  routes: [{ method: 'POST', path: '/v1/embeddings' }],
  protocol: 'embedding',
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: true,
  errors: 'openai',
};
