/** Upstreams whose host or path belongs to the account. Facts: the public API references of the vendors. */
import { API_KEY } from '@gatehouse/crds/providers';
import type { Authorizer, Call, Provider } from '../contract.ts';
import { bearer, pathText, requireModel } from '../engine/index.ts';
import { EXACTLY_ONE, NOT_NEGATIVE, OLDER_LIMIT, openAiLike } from '../openai-like/index.ts';
import { databricksChat, servingPath } from './hooks/databricks.ts';
import { stringErrorWithStatus } from './hooks/errors.ts';
import { stableId, untypedDelta } from './hooks/fill.ts';
import { thinkingAsSwitch } from './hooks/ollama.ts';
import { adapterAsModel, predibasePath } from './hooks/predibase.ts';
import { OLLAMA_API } from './ollama-api.ts';

/** A dedicated endpoint serves one model; the shared host has the model in the path. */
const modelPath =
  (path: string) =>
  (call: Call): string =>
    call.fields.text('huggingface_base_url') === undefined
      ? `/models/${pathText(requireModel(call), 'model')}${path}`
      : path;

/** A workspace token pair, or an API key. */
const modalAuth: Authorizer = {
  summary: 'authorization: Bearer {api_key}, else modal-key and modal-secret',
  apply(request, call, context) {
    if (call.fields.secret(API_KEY) !== undefined) return bearer().apply(request, call, context);
    for (const [header, field] of [
      ['modal-key', 'modal_key'],
      ['modal-secret', 'modal_secret'],
    ] as const) {
      const value = call.fields.secret(field)?.reveal();
      if (value !== undefined) request.headers[header] = value;
    }
  },
};

export const ACCOUNTS: readonly Provider[] = [
  openAiLike({
    id: 'cortex',
    paths: { only: ['POST /cortex/inference:complete', 'POST /cortex/inference:embed', 'POST /cortex/v1/**'] },
    modelPlaces: [
      {
        model: 'body',
        calls: ['inference:complete', 'inference:embed', 'v1/chat/completions', 'v1/messages'].map(
          (path) => `POST /cortex/${path}`,
        ),
      },
    ],
    baseUrl: 'https://{snowflake_account}.snowflakecomputing.com/api/v2',
    headers: {
      'x-snowflake-authorization-token-type': 'KEYPAIR_JWT',
      accept: 'application/json, text/event-stream',
    },
    chat: { path: '/cortex/inference:complete', dialect: untypedDelta },
  }),
  openAiLike({
    id: 'databricks',
    paths: {
      only: [
        'POST /*/invocations',
        'POST /chat/completions',
        'POST /completions',
        'POST /embeddings',
        'POST /responses',
      ],
    },
    routingHeaders: ['x-databricks-org-id'],
    baseUrl: 'https://{databricks_workspace}.cloud.databricks.com/serving-endpoints',
    chat: { path: servingPath, model: 'account', dialect: databricksChat },
    complete: { path: servingPath, model: 'account' },
    embed: { path: servingPath, model: 'account', only: ['input'], elsewhere: ['model'] },
    modelPlaces: [
      { model: 'path', calls: ['POST /<model>/invocations'] },
      {
        model: 'body',
        calls: ['chat/completions', 'completions', 'embeddings', 'responses'].map((path) => `POST /${path}`),
      },
    ],
  }),
  openAiLike({
    id: 'huggingface',
    paths: [
      'POST /',
      'POST /models/**',
      'POST /pipeline/**',
      'POST /generate',
      'POST /generate_stream',
      'POST /embed',
      'POST /predict',
      'GET /info',
      'GET /health',
    ],
    routingHeaders: ['x-hf-bill-to'],
    baseUrl: '{huggingface_base_url|https://api-inference.huggingface.co}',
    chat: {
      path: modelPath('/v1/chat/completions'),
      model: 'account',
      rename: OLDER_LIMIT,
      clamp: { max_completion_tokens: NOT_NEGATIVE },
      dialect: stableId,
    },
    complete: { path: modelPath('/v1/completions'), model: 'account', dialect: stableId },
    // Calls of a dedicated endpoint name no model, so lists of models cannot be checked.
    modelPlaces: [
      {
        model: 'path',
        calls: [
          ...['/models/<model>', '/models/<model>/<model>', '/pipeline/*/<model>', '/pipeline/*/<model>/<model>'],
          ...['chat/completions', 'completions', 'embeddings'].map((path) => `/models/<model>/<model>/v1/${path}`),
        ].map((path) => `POST ${path}`),
      },
    ],
    readError: stringErrorWithStatus,
  }),
  openAiLike({
    id: 'modal',
    baseUrl: 'https://api.modal.com/v1',
    auth: modalAuth,
    chat: { model: 'account' },
    complete: { model: 'account' },
    models: true,
  }),
  openAiLike({
    id: 'ollama',
    paths: [
      'POST /api/generate',
      'POST /api/chat',
      'POST /api/embed',
      'POST /api/embeddings',
      'POST /api/show',
      'GET /api/tags',
      'GET /api/ps',
      'GET /api/version',
    ],
    modelPlaces: [
      { model: 'body', calls: ['generate', 'chat', 'embed', 'embeddings', 'show'].map((task) => `POST /api/${task}`) },
    ],
    baseUrl: '{custom_host}',
    prefix: '/v1',
    auth: bearer({ optional: true }),
    chat: {
      rename: OLDER_LIMIT,
      clamp: { max_completion_tokens: NOT_NEGATIVE },
      names: ['think'],
      hooks: [thinkingAsSwitch],
    },
    embed: {},
    endpoints: OLLAMA_API,
    models: true,
  }),
  openAiLike({
    id: 'predibase',
    paths: { only: ['POST /*/deployments/v2/llms/**', 'GET /*/deployments/v2/llms/**'] },
    modelPlaces: [
      {
        model: 'path',
        calls: ['generate', 'generate_stream', 'v1/chat/completions', 'v1/completions'].map(
          (path) => `POST /*/deployments/v2/llms/<model>/${path}`,
        ),
      },
    ],
    baseUrl: 'https://serving.app.predibase.com',
    headers: { accept: 'application/json' },
    chat: {
      path: predibasePath,
      rename: OLDER_LIMIT,
      drop: ['user'],
      elsewhere: ['user'],
      clamp: { max_completion_tokens: NOT_NEGATIVE, temperature: { min: 0, max: 1 }, n: EXACTLY_ONE },
      hooks: [adapterAsModel],
    },
  }),
];
