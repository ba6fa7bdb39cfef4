/** The Responses API of OpenAI: a response is made by a model, stored by the provider, and read or deleted there. */
import { ANY_BODY, COMPLETIONS, type Operation } from './operation.ts';

export const createModelResponse: Operation = {
  id: 'createModelResponse',
  routes: [{ method: 'POST', path: '/v1/responses' }],
  protocol: 'responses',
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: true,
  errors: 'openai',
};

const STORED = { ...createModelResponse, bodies: ANY_BODY, cacheable: false } as const;

export const getModelResponse: Operation = {
  ...STORED,
  id: 'getModelResponse',
  routes: [{ method: 'GET', path: '/v1/responses/:response_id' }],
};

export const deleteModelResponse: Operation = {
  ...STORED,
  id: 'deleteModelResponse',
  routes: [{ method: 'DELETE', path: '/v1/responses/:response_id' }],
};

export const listResponseInputItems: Operation = {
  ...STORED,
  id: 'listResponseInputItems',
  routes: [{ method: 'GET', path: '/v1/responses/:response_id/input_items' }],
};
