/** Upstreams without typed operations: every call is passed on with the credential. Facts: spec/providers.md 3.20. */
import type { Provider } from '../contract.ts';
import { apiKeyHeader, modelIn } from '../engine/index.ts';
import { openAiLike } from '../openai-like/index.ts';
import { ownedModelPages } from './hooks/models.ts';
import { sagemakerAuth, sagemakerBaseUrl, sagemakerHeaders } from './hooks/sagemaker.ts';

const MESHY = 'https://api.meshy.ai/openapi';

export const PROXY_ONLY: readonly Provider[] = [
  openAiLike({
    id: 'meshy',
    baseUrl: `${MESHY}/v1`,
    // Text to 3D is the only task of the second version.
    proxy: { baseUrl: (call) => `${MESHY}/${call.path.includes('text-to-3d') ? 'v2' : 'v1'}` },
  }),
  openAiLike({ id: 'milvus', baseUrl: '{custom_host}' }),
  openAiLike({ id: 'qdrant', baseUrl: '{custom_host}', auth: apiKeyHeader('api-key') }),
  openAiLike({ id: 'recraft-ai', baseUrl: 'https://external.api.recraft.ai/v1' }),
  openAiLike({
    id: 'replicate',
    baseUrl: 'https://api.replicate.com/v1',
    models: { path: '/models', read: ownedModelPages },
    proxy: { modelOf: modelIn(/^\/models\/([^/]+\/[^/]+)\/predictions$/) },
  }),
  openAiLike({
    id: 'sagemaker',
    baseUrl: sagemakerBaseUrl,
    auth: sagemakerAuth,
    headers: sagemakerHeaders,
    proxy: { modelOf: modelIn(/^\/endpoints\/([^/]+)\/[^/]+$/) },
  }),
  openAiLike({ id: 'segmind', baseUrl: 'https://api.segmind.com/v1', auth: apiKeyHeader('x-api-key') }),
  openAiLike({ id: 'tripo3d', baseUrl: 'https://api.tripo3d.ai/v2/openapi' }),
];
