/** The Messages API of Anthropic. */
import { COMPLETIONS, type Operation } from './operation.ts';
import { typedHandler } from './typed/index.ts';

export const messages: Operation = {
  id: 'messages',
  routes: [{ method: 'POST', path: '/v1/messages' }],
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: true,
  generates: 'text',
  checkedAs: 'messages',
  genAiName: 'chat',
  errors: 'messages',
  prompts: 'refused',
  streamFormat: 'messages',
  handler: typedHandler('messages', { model: 'body' }),
};

export const messagesCountTokens: Operation = {
  id: 'messagesCountTokens',
  routes: [{ method: 'POST', path: '/v1/messages/count_tokens' }],
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: false,
  errors: 'messages',
  prompts: 'refused',
  streamFormat: 'messages',
  handler: typedHandler('messagesCountTokens', { model: 'body' }),
};
