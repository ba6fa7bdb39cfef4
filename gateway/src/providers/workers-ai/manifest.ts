import { err, ok } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import {
  createWorkersAiChatDecoder,
  createWorkersAiCompletionDecoder,
  fromWorkersAiAnswer,
  fromWorkersAiCompletion,
  fromWorkersAiEmbedding,
  takesWorkersAiChat,
  takesWorkersAiCompletion,
  takesWorkersAiEmbedding,
  toWorkersAiChat,
  toWorkersAiCompletion,
  toWorkersAiEmbedding,
} from '../../wire/workers-ai/index.ts';
import { type Call, defineProvider, type Endpoint, type Provider } from '../contract.ts';
import { bearer, fieldMissing, pathSegment, proxyPath } from '../engine/index.ts';
import { imageGenerate } from './images.ts';
import { models } from './models.ts';

const ACCOUNT = 'workers_ai_account_id';

/** The API of the account; models run below `/run`. */
function accountUrl({ fields, provider }: Call): string {
  const account = fields.text(ACCOUNT);
  if (account === undefined) throw fieldMissing(provider, ACCOUNT);
  return `https://api.cloudflare.com/client/v4/accounts/${pathSegment(account, ACCOUNT)}/ai`;
}

const baseUrl = (call: Call): string => accountUrl(call) + (call.endpoint === 'listModels' ? '' : '/run');

/** Beside the models: their catalogue, and the interface in the OpenAI format. */
const proxyBaseUrl = (call: Call): string =>
  accountUrl(call) + (/^\/(?:models|v1)\//.test(proxyPath(call)) ? '' : '/run');

const chatComplete: Endpoint = {
  method: 'POST',
  path: '/{model}',
  request: { kind: 'write', takes: () => takesWorkersAiChat, write: (params) => ok(toWorkersAiChat(params)) },
  answer: { kind: 'read', read: fromWorkersAiAnswer },
  stream: { kind: 'decode', framing: 'sse', open: createWorkersAiChatDecoder },
};

const complete: Endpoint = {
  method: 'POST',
  path: '/{model}',
  request: { kind: 'write', takes: () => takesWorkersAiCompletion, write: toWorkersAiCompletion },
  answer: { kind: 'read', read: fromWorkersAiCompletion },
  stream: { kind: 'decode', framing: 'sse', open: createWorkersAiCompletionDecoder },
};

const embed: Endpoint = {
  method: 'POST',
  path: '/{model}',
  request: {
    kind: 'write',
    takes: () => takesWorkersAiEmbedding,
    write(params) {
      const body = toWorkersAiEmbedding(params);
      return body.ok ? body : err(new AppError('PARAMETER_INVALID', { detail: body.error, param: 'input' }));
    },
  },
  answer: { kind: 'read', read: fromWorkersAiEmbedding },
};

/** What the names of models begin with. */
const NAMESPACES = ['@cf', '@hf'];
const OPENAI_CALLS = ['chat/completions', 'completions', 'embeddings', 'responses'].map((path) => `POST /v1/${path}`);

/** Facts: the public API references of the vendors. */
export const workersAi: Provider = defineProvider({
  id: 'workers-ai',
  baseUrl,
  auth: bearer(),
  endpoints: { chatComplete, complete, embed, imageGenerate },
  models,
  proxy: {
    baseUrl: proxyBaseUrl,
    dataPlane: [...NAMESPACES.map((namespace) => `POST /${namespace}/*/*`), 'GET /models/**', ...OPENAI_CALLS],
    modelPlaces: [
      ...NAMESPACES.map((namespace) => ({
        model: 'path' as const,
        calls: [`POST /${namespace}/<model>/<model>`],
        name: (parts: readonly string[]) => [namespace, ...parts].join('/'),
      })),
      { model: 'body', calls: OPENAI_CALLS },
    ],
  },
});
