/** Makers of models on their own hosts. Facts: the public API references of the vendors. */
import { MISTRAL_PARAMETERS, mistralDialect } from '../../wire/mistral/mistral.ts';
import type { Provider } from '../contract.ts';
import { AT_LEAST_ONE, EXACTLY_ONE, NOT_NEGATIVE, OLDER_LIMIT, openAiLike } from '../openai-like/index.ts';
import { deepseekChat, withoutReasoningHistory } from './hooks/deepseek.ts';
import { textWithStatus } from './hooks/errors.ts';
import { inputAsList } from './hooks/input.ts';
import {
  chatPath,
  FIM_PATH,
  fimCompletion,
  mistralFile,
  mistralIds,
  mistralToolChoice,
  withoutModelPrefix,
} from './hooks/mistral.ts';
import { flaggedByCategory } from './hooks/moderations.ts';
import { perplexityChat, perplexityFile } from './hooks/perplexity.ts';

const BESIDE_V1 = ['POST /beta/completions', 'POST /beta/chat/completions', 'POST /anthropic/v1/messages'];
const ASYNCHRONOUS = ['GET /async-result/*', 'POST /async/chat/completions', 'POST /web_search', 'POST /tools'];

export const VENDORS: readonly Provider[] = [
  openAiLike({
    id: 'dashscope',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    chat: {},
    embed: {},
    models: true,
  }),
  openAiLike({
    id: 'deepseek',
    paths: BESIDE_V1,
    modelPlaces: [{ model: 'body', calls: BESIDE_V1 }],
    baseUrl: 'https://api.deepseek.com',
    chat: {
      path: '/v1/chat/completions',
      rename: OLDER_LIMIT,
      clamp: { max_completion_tokens: NOT_NEGATIVE, top_logprobs: { min: 0, max: 20 } },
      hooks: [withoutReasoningHistory],
      dialect: deepseekChat,
    },
    models: true,
  }),
  openAiLike({
    id: 'krutrim',
    baseUrl: 'https://cloud.olakrutrim.com/v1',
    chat: {},
    models: true,
    readError: textWithStatus,
  }),
  openAiLike({
    id: 'latitude',
    baseUrl: 'https://api.lsh.ai',
    prefix: '/v1',
    chat: { rename: OLDER_LIMIT, clamp: { max_completion_tokens: NOT_NEGATIVE } },
    models: true,
  }),
  openAiLike({
    id: 'lingyi',
    baseUrl: 'https://api.lingyiwanwu.com',
    prefix: '/v1',
    chat: { rename: OLDER_LIMIT, clamp: { max_completion_tokens: NOT_NEGATIVE } },
    models: true,
  }),
  openAiLike({ id: 'matterai', baseUrl: 'https://api.matterai.so/v1', chat: {}, models: true }),
  openAiLike({
    id: 'mistral-ai',
    paths: [
      'POST /fim/completions',
      'POST /ocr',
      'POST /agents/completions',
      'POST /chat/moderations',
      'POST /classifications',
      'POST /chat/classifications',
      'GET|POST|DELETE /batch/jobs/**',
      '* /agents/**',
      '* /libraries/**',
    ],
    // In no row: conversations, whose model only the first call names, and agents and batches, which choose their own.
    modelPlaces: [
      {
        model: 'body',
        calls: [
          ...['fim/completions', 'ocr', 'chat/moderations', 'classifications', 'chat/classifications'],
          ...['conversations', 'conversations/*'],
        ].map((path) => `POST /${path}`),
      },
    ],
    baseUrl: 'https://api.mistral.ai/v1',
    chat: {
      path: chatPath,
      ...MISTRAL_PARAMETERS,
      hooks: [withoutModelPrefix, mistralToolChoice, mistralIds],
      files: mistralFile,
      dialect: mistralDialect,
    },
    complete: {
      path: FIM_PATH,
      rename: { seed: 'random_seed' },
      drop: ['logit_bias', 'user', 'logprobs', 'echo', 'best_of', 'stream_options'],
      clamp: MISTRAL_PARAMETERS.clamp,
      hooks: [withoutModelPrefix],
      dialect: fimCompletion,
    },
    embed: { rename: { dimensions: 'output_dimension' }, hooks: [inputAsList] },
    further: {
      moderate: { hooks: [withoutModelPrefix], answer: flaggedByCategory },
      createTranscription: {},
    },
    resources: ['files'],
    models: true,
  }),
  openAiLike({
    id: 'moonshot',
    paths: ['POST /tokenizers/estimate-token-count'],
    modelPlaces: [{ model: 'body', calls: ['POST /tokenizers/estimate-token-count'] }],
    baseUrl: 'https://api.moonshot.cn',
    prefix: '/v1',
    chat: { rename: OLDER_LIMIT, clamp: { max_completion_tokens: NOT_NEGATIVE } },
    models: true,
  }),
  openAiLike({
    id: 'perplexity-ai',
    paths: ['POST /search', 'GET|POST /async/chat/completions/**'],
    baseUrl: 'https://api.perplexity.ai',
    chat: {
      rename: OLDER_LIMIT,
      clamp: {
        max_tokens: AT_LEAST_ONE,
        max_completion_tokens: AT_LEAST_ONE,
        top_k: { min: 0, max: 2048 },
        frequency_penalty: 'none',
        n: EXACTLY_ONE,
      },
      dialect: perplexityChat,
      files: perplexityFile,
    },
  }),
  openAiLike({
    id: 'upstage',
    paths: ['POST /document-digitization', 'POST /document-ai/**', 'POST /information-extraction/**'],
    modelPlaces: [
      { model: 'body', calls: ['POST /information-extraction', 'POST /information-extraction/chat/completions'] },
    ],
    baseUrl: 'https://api.upstage.ai/v1/solar',
    chat: {},
    embed: {},
  }),
  openAiLike({
    id: 'x-ai',
    paths: [
      'POST /tokenize-text',
      'POST /documents/search',
      'GET /chat/deferred-completion/*',
      'GET /language-models/**',
      'GET /embedding-models/**',
      'GET /image-generation-models/**',
    ],
    modelPlaces: [{ model: 'body', calls: ['POST /tokenize-text'] }],
    baseUrl: 'https://api.x.ai/v1',
    chat: {},
    complete: {},
    embed: {},
    further: { imageGenerate: {} },
    responses: true,
    realtime: true,
    models: true,
  }),
  openAiLike({
    id: 'z-ai',
    paths: ASYNCHRONOUS,
    modelPlaces: [{ model: 'body', calls: ['POST /async/chat/completions'] }],
    baseUrl: 'https://api.z.ai/api/paas/v4',
    chat: {},
    further: { imageGenerate: { rename: { user: 'user_id' } } },
    models: true,
  }),
  openAiLike({
    id: 'zhipu',
    paths: ASYNCHRONOUS,
    modelPlaces: [{ model: 'body', calls: ['POST /async/chat/completions'] }],
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    chat: {},
    embed: {},
    further: { imageGenerate: { rename: { user: 'user_id' } } },
    models: true,
  }),
];
