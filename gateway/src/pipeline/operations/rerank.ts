/** Ranking of documents by their relevance to a query, in one form for all providers; docs/behaviour/operations.md#rerank. */
import { COMPLETIONS, type Operation } from './operation.ts';
import { typedHandler } from './typed/index.ts';

export const rerank: Operation = {
  id: 'rerank',
  routes: [{ method: 'POST', path: '/v1/rerank' }],
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: true,
  checkedAs: 'rerank',
  errors: 'openai',
  streamFormat: 'events',
  handler: typedHandler('rerank', { model: 'body' }),
};
