/** Text completions in the format of OpenAI. */
import { COMPLETIONS, type Operation, ofDeployment } from './operation.ts';
import { typedHandler } from './typed/index.ts';

export const complete: Operation = {
  id: 'complete',
  routes: [{ method: 'POST', path: '/v1/completions' }, ofDeployment('/completions')],
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: true,
  generates: 'text',
  checkedAs: 'complete',
  genAiName: 'text_completion',
  prompts: 'named',
  errors: 'openai',
  streamFormat: 'completion',
  handler: typedHandler('complete', { model: 'body' }),
};
