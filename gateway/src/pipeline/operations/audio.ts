/** Audio in the format of OpenAI: speech made from a text, and texts made from a recording that comes in a form. */
import { COMPLETIONS, type Operation } from './operation.ts';
import { typedHandler } from './typed/index.ts';

export const createSpeech: Operation = {
  id: 'createSpeech',
  routes: [{ method: 'POST', path: '/v1/audio/speech' }],
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: false,
  generates: 'speech',
  checkedAs: 'createSpeech',
  errors: 'openai',
  streamFormat: 'events',
  handler: typedHandler('createSpeech', { model: 'body' }),
};
