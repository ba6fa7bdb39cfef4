import { ok } from '@gatehouse/crds';
import { fromReka, takesReka, toRekaBody } from '../../wire/reka/index.ts';
import { defineProvider, type Endpoint, type Provider } from '../contract.ts';
import { apiKeyHeader, requireModel } from '../engine/index.ts';

const chatComplete: Endpoint = {
  method: 'POST',
  path: '/chat',
  request: {
    kind: 'write',
    takes: () => takesReka,
    write: (params, call) => ok(toRekaBody(params, requireModel(call))),
  },
  answer: { kind: 'read', read: fromReka },
};

/** Newer interfaces of the vendor name their model as OpenAI's do; the older chat calls the member `model_name`. */
const OF_MODELS = ['POST /v1/chat', 'POST /v1/chat/completions'];

/** Facts: the public API references of the vendors. */
export const rekaAi: Provider = defineProvider({
  id: 'reka-ai',
  baseUrl: 'https://api.reka.ai',
  auth: apiKeyHeader('x-api-key'),
  endpoints: { chatComplete },
  proxy: {
    dataPlane: [...OF_MODELS, 'POST /chat', 'GET /models', 'GET /v1/models'],
    modelPlaces: [{ model: 'body', calls: OF_MODELS }],
  },
});
