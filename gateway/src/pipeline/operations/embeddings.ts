/** Embeddings in the format of OpenAI. */
import { COMPLETIONS, type Operation, ofDeployment } from './operation.ts';
import { typedHandler } from './typed/index.ts';

export const embed: Operation = {
  id: 'embed',
  routes: [{ method: 'POST', path: '/v1/embeddings' }, ofDeployment('/embeddings')],
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: true,
  generates: 'vectors',
  checkedAs: 'embed',
  genAiName: 'embeddings',
  errors: 'openai',
  streamFormat: 'events',
  handler: typedHandler('embed', { model: 'body' }),
};
