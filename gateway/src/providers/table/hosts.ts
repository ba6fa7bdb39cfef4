/** Hosts of other makers' models. Facts: the public API references of the vendors. */
import type { Provider } from '../contract.ts';
import {
  AT_LEAST_ONE,
  EXACTLY_ONE,
  editMessages,
  NOT_NEGATIVE,
  OLDER_LIMIT,
  openAiLike,
  withoutMembers,
} from '../openai-like/index.ts';
import {
  FIREWORKS_ENDPOINTS,
  FIREWORKS_MODEL_PLACES,
  FIREWORKS_PATHS,
  FIREWORKS_PROCEDURES,
  fireworksBase,
  fireworksProxyBase,
} from './fireworks/index.ts';
import { roleAndUsage, roleUsageAndEnd } from './hooks/fill.ts';
import { fireworksImages, hyperbolicImages, siliconflowImages } from './hooks/images.ts';
import { inputAsList } from './hooks/input.ts';
import { bareModelList } from './hooks/models.ts';
import { siliconflowRerank, togetherRerank } from './hooks/rerank.ts';

const FUNCTIONS = ['functions', 'function_call'] as const;
const TOOLS = [...FUNCTIONS, 'tools', 'tool_choice'] as const;

export const HOSTS: readonly Provider[] = [
  openAiLike({
    id: 'anyscale',
    baseUrl: 'https://api.endpoints.anyscale.com/v1',
    chat: {
      rename: OLDER_LIMIT,
      clamp: { max_completion_tokens: NOT_NEGATIVE },
    },
    complete: {},
    embed: {},
    models: true,
  }),
  openAiLike({
    id: 'cerebras',
    baseUrl: 'https://api.cerebras.ai/v1',
    headers: { 'user-agent': 'gatehouse' },
    chat: {
      drop: [
        ...['frequency_penalty', 'logit_bias', 'logprobs', 'presence_penalty', 'parallel_tool_calls', 'service_tier'],
      ],
    },
    models: true,
  }),
  openAiLike({
    id: 'deepinfra',
    baseUrl: 'https://api.deepinfra.com/v1/openai',
    chat: {
      rename: OLDER_LIMIT,
      clamp: { max_tokens: AT_LEAST_ONE, max_completion_tokens: AT_LEAST_ONE, n: EXACTLY_ONE },
      framing: 'sse-lines',
    },
    further: { imageGenerate: {}, createSpeech: {}, createTranscription: {}, createTranslation: {} },
    models: true,
  }),
  openAiLike({
    id: 'featherless-ai',
    baseUrl: 'https://api.featherless.ai/v1',
    chat: {},
    complete: {},
    models: true,
  }),
  openAiLike({
    id: 'fireworks-ai',
    paths: FIREWORKS_PATHS,
    modelPlaces: FIREWORKS_MODEL_PLACES,
    baseUrl: fireworksBase,
    headers: { accept: 'application/json' },
    chat: {
      rename: OLDER_LIMIT,
      clamp: {
        max_tokens: AT_LEAST_ONE,
        max_completion_tokens: AT_LEAST_ONE,
        top_k: { min: 1, max: 128 },
        n: { min: 1, max: 128 },
      },
    },
    complete: { clamp: { logprobs: { min: 0, max: 5 }, top_k: { min: 1, max: 128 }, n: { min: 1, max: 128 } } },
    embed: { hooks: [inputAsList] },
    further: { imageGenerate: fireworksImages },
    endpoints: FIREWORKS_ENDPOINTS,
    procedures: FIREWORKS_PROCEDURES,
    models: true,
    proxy: { baseUrl: fireworksProxyBase },
  }),
  openAiLike({
    id: 'groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    chat: {
      drop: ['logprobs', 'top_logprobs', 'logit_bias'],
      hooks: [editMessages(withoutMembers('name'))],
    },
    further: { createSpeech: {}, createTranscription: {}, createTranslation: {} },
    resources: ['files', 'batches'],
    responses: true,
    models: true,
  }),
  openAiLike({
    id: 'hyperbolic',
    paths: ['POST /image/generation', 'POST /audio/generation'],
    baseUrl: 'https://api.hyperbolic.xyz',
    prefix: '/v1',
    chat: { clamp: { min_p: { min: 0, max: 1 } } },
    further: { imageGenerate: hyperbolicImages },
    models: true,
  }),
  openAiLike({
    id: 'inference-net',
    baseUrl: 'https://api.inference.net/v1',
    chat: {},
    models: true,
  }),
  openAiLike({
    id: 'iointelligence',
    baseUrl: 'https://api.intelligence.io.solutions/api/v1',
    chat: {},
    embed: {},
    models: true,
  }),
  openAiLike({
    id: 'kluster-ai',
    baseUrl: 'https://api.kluster.ai/v1',
    chat: {},
    embed: {},
    resources: ['files', 'batches'],
    models: true,
  }),
  openAiLike({
    id: 'lambda',
    baseUrl: 'https://api.lambdalabs.com/v1',
    chat: {},
    complete: {},
    models: true,
  }),
  openAiLike({
    id: 'lemonfox-ai',
    baseUrl: 'https://api.lemonfox.ai/v1',
    chat: {
      drop: [...TOOLS, 'n', 'logit_bias', 'user', 'seed', 'response_format', 'logprobs', 'stream_options'],
      dialect: roleAndUsage,
    },
    further: { imageGenerate: { clamp: { n: { min: 1, max: 8 } } }, createTranscription: {} },
  }),
  openAiLike({
    id: 'lepton',
    baseUrl: 'https://api.lepton.ai',
    prefix: '/api/v1',
    chat: {},
    complete: { clamp: { logprobs: 'none' } },
    further: { createTranscription: {} },
    models: true,
  }),
  openAiLike({
    id: 'monsterapi',
    baseUrl: 'https://llm.monsterapi.ai/v1',
    chat: {
      clamp: {
        top_k: { min: 1, max: 20 },
        temperature: { min: 0, max: 1 },
        max_length: { min: 1, max: 2048 },
        repetition_penalty: NOT_NEGATIVE,
        beam_size: AT_LEAST_ONE,
      },
    },
    models: true,
  }),
  openAiLike({
    id: 'ncompass',
    baseUrl: 'https://api.ncompass.tech/v1',
    chat: {
      rename: OLDER_LIMIT,
      clamp: { max_tokens: AT_LEAST_ONE, max_completion_tokens: AT_LEAST_ONE, n: EXACTLY_ONE },
    },
    models: true,
  }),
  openAiLike({
    id: 'nebius',
    baseUrl: 'https://api.studio.nebius.ai/v1',
    chat: {},
    complete: {},
    embed: {},
    further: { imageGenerate: {} },
    resources: ['files', 'batches', 'fine-tuning'],
    models: true,
  }),
  openAiLike({
    id: 'nextbit',
    baseUrl: 'https://api.nextbit256.com/v1',
    chat: {},
    complete: {},
    models: true,
  }),
  openAiLike({
    id: 'novita-ai',
    baseUrl: 'https://api.novita.ai/v3/openai',
    prefix: '/v1',
    chat: {
      rename: OLDER_LIMIT,
      clamp: { max_tokens: AT_LEAST_ONE, max_completion_tokens: AT_LEAST_ONE, temperature: 'none', top_p: 'none' },
      inject: { max_tokens: 128 },
    },
    // frequency_penalty keeps its name: a repetition penalty means something else.
    complete: {
      clamp: {
        max_tokens: AT_LEAST_ONE,
        temperature: 'none',
        top_p: 'none',
        frequency_penalty: 'none',
        logprobs: 'none',
      },
      inject: { max_tokens: 128 },
    },
    models: true,
  }),
  openAiLike({
    id: 'nscale',
    baseUrl: 'https://inference.api.nscale.com/v1',
    chat: { drop: [...TOOLS, 'user', 'seed', 'stream_options'] },
    further: { imageGenerate: { clamp: { n: 'none' } } },
    models: true,
  }),
  openAiLike({
    id: 'ovhcloud',
    baseUrl: 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1',
    chat: {},
    models: true,
  }),
  openAiLike({
    id: 'sambanova',
    baseUrl: 'https://api.sambanova.ai',
    prefix: '/v1',
    chat: {
      drop: [
        ...[...TOOLS, 'presence_penalty', 'frequency_penalty', 'logit_bias', 'user', 'seed'],
        ...['response_format', 'logprobs'],
      ],
      dialect: roleUsageAndEnd,
      framing: 'sse-lines',
    },
    further: { createTranscription: {}, createTranslation: {} },
    models: true,
  }),
  openAiLike({
    id: 'siliconflow',
    paths: ['POST /video/**', 'GET|POST /uploads/audio/voice', 'GET /audio/voice/list'],
    modelPlaces: [
      { model: 'body', calls: ['POST /video/submit'] },
      { model: 'none', calls: ['POST /video/status'] },
    ],
    baseUrl: 'https://api.siliconflow.cn/v1',
    chat: {
      rename: OLDER_LIMIT,
      clamp: { max_completion_tokens: NOT_NEGATIVE },
    },
    embed: {},
    endpoints: { rerank: siliconflowRerank },
    further: { imageGenerate: siliconflowImages, createSpeech: {}, createTranscription: {} },
    models: true,
  }),
  openAiLike({
    id: 'together-ai',
    paths: ['GET|POST /fine-tunes/**'],
    baseUrl: 'https://api.together.xyz',
    prefix: '/v1',
    chat: {
      rename: OLDER_LIMIT,
      clamp: {
        max_tokens: AT_LEAST_ONE,
        max_completion_tokens: AT_LEAST_ONE,
        temperature: 'none',
        top_p: 'none',
        frequency_penalty: 'none',
      },
      dialect: { ownFinishReasons: true },
    },
    complete: {
      clamp: {
        max_tokens: AT_LEAST_ONE,
        temperature: 'none',
        top_p: 'none',
        frequency_penalty: 'none',
        logprobs: 'none',
      },
      dialect: { ownFinishReasons: true },
    },
    embed: { hooks: [inputAsList] },
    endpoints: { rerank: togetherRerank },
    further: { imageGenerate: {}, createSpeech: {}, createTranscription: {}, createTranslation: {} },
    models: { path: '/v1/models', read: bareModelList },
  }),
];
