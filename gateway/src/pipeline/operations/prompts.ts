/** Calls of saved prompts: they are chats or text completions once the prompt is known; docs/behaviour/prompts.md. */
import { chatComplete } from './chat.ts';
import { complete } from './completions.ts';
import { COMPLETIONS, type LocalAnswer, type Operation, type ResolvedRequest } from './operation.ts';
import { typedHandler } from './typed/index.ts';

export const promptComplete: Operation = {
  id: 'promptComplete',
  routes: [{ method: 'POST', path: '/v1/prompts/:prompt_id/completions' }],
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: true,
  generates: 'text',
  checkedAs: 'chatComplete',
  genAiName: 'chat',
  prompts: 'called',
  promptAs: { chat: chatComplete, text: complete },
  errors: 'openai',
  streamFormat: 'chat',
  handler: typedHandler('chatComplete', { model: 'body' }),
};

export const promptRender: Operation = {
  id: 'promptRender',
  routes: [{ method: 'POST', path: '/v1/prompts/:prompt_id/render' }],
  scopes: ['prompts.render'],
  bodies: ['json'],
  cacheable: false,
  prompts: 'rendered',
  errors: 'openai',
  streamFormat: 'events',
  handler: typedHandler('chatComplete', { model: 'body' }),
  answerLocally: renderedAnswer,
};

/** The body that a provider would get, for any provider. */
function renderedAnswer({ resolution: { body } }: ResolvedRequest): LocalAnswer {
  const data = body.kind === 'json' ? body.bytes.toString() : '{}';
  const bytes = Buffer.from(`{"success":true,"data":${data}}`);
  return { headers: { 'content-type': 'application/json' }, bytes };
}
