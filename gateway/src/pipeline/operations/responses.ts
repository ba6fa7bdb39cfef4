/** The Responses API of OpenAI: a response is made by a model, stored by the provider, and read or deleted there. */
import { ANY_BODY, COMPLETIONS, type Operation } from './operation.ts';
import { typedHandler } from './typed/index.ts';

export const createModelResponse: Operation = {
  id: 'createModelResponse',
  routes: [{ method: 'POST', path: '/v1/responses' }],
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: true,
  generates: 'text',
  checkedAs: 'createModelResponse',
  genAiName: 'chat',
  prompts: 'refused',
  errors: 'openai',
  streamFormat: 'responses',
  handler: typedHandler('createModelResponse', { model: 'body' }),
};

const { checkedAs: _, ...unchecked } = createModelResponse;
/** Guardrails have looked at a stored response when it was made. */
const STORED = { ...unchecked, bodies: ANY_BODY, cacheable: false, looksUp: true } as const;

export const getModelResponse: Operation = {
  ...STORED,
  id: 'getModelResponse',
  routes: [{ method: 'GET', path: '/v1/responses/:response_id' }],
  handler: typedHandler('getModelResponse', { model: 'none' }),
};

export const deleteModelResponse: Operation = {
  ...STORED,
  id: 'deleteModelResponse',
  routes: [{ method: 'DELETE', path: '/v1/responses/:response_id' }],
  handler: typedHandler('deleteModelResponse', { model: 'none' }),
};

export const listResponseInputItems: Operation = {
  ...STORED,
  id: 'listResponseInputItems',
  routes: [{ method: 'GET', path: '/v1/responses/:response_id/input_items' }],
  handler: typedHandler('listResponseInputItems', { model: 'none' }),
};
