/** One account for the models of many. Facts: the public API references of the vendors. */
import type { Provider } from '../contract.ts';
import { NOT_NEGATIVE, OLDER_LIMIT, openAiLike } from '../openai-like/index.ts';
import { fileAtUrl, nestReasoningAndUsage } from './hooks/openrouter.ts';

export const AGGREGATORS: readonly Provider[] = [
  openAiLike({
    id: '302ai',
    baseUrl: 'https://api.302.ai',
    prefix: '/v1',
    chat: {},
    further: { imageGenerate: {}, createSpeech: {}, createTranscription: {}, createTranslation: {} },
    models: true,
  }),
  openAiLike({ id: 'aibadgr', baseUrl: 'https://aibadgr.com/api/v1', chat: {}, models: true }),
  openAiLike({
    id: 'cometapi',
    baseUrl: 'https://api.cometapi.com/v1',
    chat: {},
    embed: {},
    further: { imageGenerate: {}, createSpeech: {}, createTranscription: {}, createTranslation: {} },
    models: true,
  }),
  openAiLike({
    id: 'deepbricks',
    baseUrl: 'https://api.deepbricks.ai/v1',
    headers: { 'deepbricks-organization': '{openai_organization}', 'deepbricks-project': '{openai_project}' },
    chat: {
      rename: OLDER_LIMIT,
      clamp: { max_completion_tokens: NOT_NEGATIVE },
    },
    further: { imageGenerate: {} },
    models: true,
  }),
  openAiLike({
    id: 'github',
    baseUrl: 'https://models.inference.ai.azure.com',
    headers: { 'extra-parameters': 'drop' },
    chat: { clamp: { max_completion_tokens: NOT_NEGATIVE } },
    complete: {},
    embed: {},
    models: true,
  }),
  openAiLike({
    id: 'openrouter',
    paths: ['GET /generation', 'GET /providers'],
    baseUrl: 'https://openrouter.ai/api',
    prefix: '/v1',
    headers: { 'http-referer': 'https://gatehouse.dev', 'x-title': 'Gatehouse' },
    chat: {
      rename: OLDER_LIMIT,
      clamp: { max_completion_tokens: NOT_NEGATIVE },
      hooks: [nestReasoningAndUsage],
      files: fileAtUrl,
    },
    responses: true,
    models: true,
  }),
];
