/** The Messages API of Anthropic. */
import { COMPLETIONS, type Operation } from './operation.ts';

export const messages: Operation = {
  id: 'messages',
  routes: [{ method: 'POST', path: '/v1/messages' }],
  protocol: 'messages',
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: true,
  errors: 'messages',
};

export const messagesCountTokens: Operation = {
  ...messages,
  id: 'messagesCountTokens',
  routes: [{ method: 'POST', path: '/v1/messages/count_tokens' }],
  cacheable: false,
};
