/** Chat completions in the format of OpenAI. */
import { COMPLETIONS, type Operation, ofDeployment } from './operation.ts';
import { typedHandler } from './typed/index.ts';

export const chatComplete: Operation = {
  id: 'chatComplete',
  routes: [{ method: 'POST', path: '/v1/chat/completions' }, ofDeployment('/chat/completions')],
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: true,
  generates: 'text',
  checkedAs: 'chatComplete',
  genAiName: 'chat',
  prompts: 'named',
  errors: 'openai',
  streamFormat: 'chat',
  handler: typedHandler('chatComplete', { model: 'body' }),
};
