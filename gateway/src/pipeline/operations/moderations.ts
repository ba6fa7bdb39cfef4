/** Moderations in the format of OpenAI: what a text or an image would be flagged for. */
import { COMPLETIONS, type Operation } from './operation.ts';
import { typedHandler } from './typed/index.ts';

export const moderate: Operation = {
  id: 'moderate',
  routes: [{ method: 'POST', path: '/v1/moderations' }],
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: true,
  checkedAs: 'moderate',
  errors: 'openai',
  streamFormat: 'events',
  handler: typedHandler('moderate', { model: 'body' }),
};
