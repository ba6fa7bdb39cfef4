/** The list of models: of the catalogue in the Snapshot, or of a provider. */
import { ANY_BODY, COMPLETIONS, type Operation } from '../operation.ts';
import { isAnthropicClient } from './anthropic-list.ts';
import { answerFromCatalogue } from './catalogue.ts';
import { MODELS_HANDLER } from './upstream.ts';

export { answerOfModel } from './shown-model.ts';

/** Scopes that list the models of a provider; the catalogue is open to those who list its accounts, too. */
const CALLING = ['models.list', ...COMPLETIONS];

export const listModels: Operation = {
  id: 'listModels',
  routes: [{ method: 'GET', path: '/v1/models' }],
  scopes: ['virtual_keys.list', ...CALLING],
  upstreamScopes: CALLING,
  localHint: 'x-gw-fetch-integrated-models: true lists the models of the accounts',
  bodies: ANY_BODY,
  cacheable: false,
  errors: (request) => (isAnthropicClient(request) ? 'messages' : 'openai'),
  streamFormat: 'events',
  handler: MODELS_HANDLER,
  answerLocally: answerFromCatalogue,
};
