/** The list of models: of the catalogue in the Snapshot, or of a provider. */
import { ANY_BODY, COMPLETIONS, type Operation } from '../operation.ts';
import { answerFromCatalogue } from './catalogue.ts';
import { MODELS_HANDLER } from './upstream.ts';

export const listModels: Operation = {
  id: 'listModels',
  routes: [{ method: 'GET', path: '/v1/models' }],
  scopes: ['virtual_keys.list', 'models.list', ...COMPLETIONS],
  bodies: ANY_BODY,
  cacheable: false,
  errors: 'openai',
  streamFormat: 'events',
  handler: MODELS_HANDLER,
  answerLocally: answerFromCatalogue,
};
