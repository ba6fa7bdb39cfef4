/** Upstreams that are mostly proxied, with the credential of the account. Facts: the vendors' public API references. */
import type { Provider } from '../contract.ts';
import { apiKeyHeader } from '../engine/index.ts';
import { openAiLike } from '../openai-like/index.ts';
import { segmindImages } from './hooks/images.ts';
import { ownedModelPages } from './hooks/models.ts';
import { sagemakerAuth, sagemakerBaseUrl, sagemakerHeaders } from './hooks/sagemaker.ts';

const MESHY = 'https://api.meshy.ai/openapi';

/** Paths of vectors and of queries on collections, below the base of either version. */
const VECTORS = [
  'POST /entities/**',
  'POST /collections/list',
  'POST /collections/describe',
  'POST /collections/get_stats',
  ...['search', 'query', 'get', 'insert', 'upsert', 'delete'].map((verb) => `POST /${verb}`),
];

export const PROXY_ONLY: readonly Provider[] = [
  openAiLike({
    id: 'meshy',
    paths: {
      only: [
        'text-to-3d',
        'image-to-3d',
        'multi-image-to-3d',
        'text-to-image',
        'image-to-image',
        'text-to-texture',
        'retexture',
        'remesh',
        'rigging',
        'animations',
      ].map((task) => `GET|POST|DELETE /${task}/**`),
    },
    baseUrl: `${MESHY}/v1`,
    // Text-to-3D is the only task of the second version.
    proxy: { baseUrl: (call) => `${MESHY}/${call.path.includes('text-to-3d') ? 'v2' : 'v1'}` },
  }),
  openAiLike({
    id: 'milvus',
    paths: {
      only: VECTORS.flatMap((pattern) =>
        ['', '/v2/vectordb', '/v1/vector'].map((base) => pattern.replace(' /', ` ${base}/`)),
      ),
    },
    baseUrl: '{custom_host}',
  }),
  openAiLike({
    id: 'qdrant',
    paths: {
      only: [
        'GET /collections',
        'GET /collections/*',
        'GET|POST|PUT /collections/*/points/**',
        'POST /collections/*/facet',
      ],
    },
    baseUrl: '{custom_host}',
    auth: apiKeyHeader('api-key'),
  }),
  openAiLike({
    id: 'recraft-ai',
    paths: { only: ['POST /images/**', 'POST /styles'] },
    modelPlaces: [{ model: 'body', calls: ['POST /images/generations'] }],
    baseUrl: 'https://external.api.recraft.ai/v1',
    further: { imageGenerate: { clamp: { n: { min: 1, max: 2 } } } },
  }),
  openAiLike({
    id: 'replicate',
    paths: {
      only: [
        'GET|POST /predictions/**',
        'POST /models/*/*/predictions',
        'POST /deployments/*/*/predictions',
        'GET /models/**',
        'GET /collections/**',
        'GET /hardware',
        'GET|POST|DELETE /files/**',
      ],
    },
    baseUrl: 'https://api.replicate.com/v1',
    models: { path: '/models', read: ownedModelPages },
    // A version or a deployment names no model.
    modelPlaces: [
      { model: 'path', calls: ['POST /models/<model>/<model>/predictions'] },
      { model: 'none', calls: ['POST|DELETE /files', 'POST|DELETE /files/*', 'POST /predictions/*/cancel'] },
    ],
  }),
  openAiLike({
    id: 'sagemaker',
    paths: { only: ['POST /endpoints/*/invocations', 'POST /endpoints/*/invocations-response-stream'] },
    baseUrl: sagemakerBaseUrl,
    auth: sagemakerAuth,
    headers: sagemakerHeaders,
    modelPlaces: [
      {
        model: 'path',
        calls: ['invocations', 'invocations-response-stream'].map((path) => `POST /endpoints/<model>/${path}`),
      },
    ],
  }),
  openAiLike({
    id: 'segmind',
    paths: { only: ['POST /*', 'POST /workflows/*', 'GET /workflows/request/*'] },
    modelPlaces: [{ model: 'path', calls: ['POST /<model>'] }],
    baseUrl: 'https://api.segmind.com/v1',
    endpoints: { imageGenerate: segmindImages },
    auth: apiKeyHeader('x-api-key'),
  }),
  openAiLike({
    id: 'tripo3d',
    paths: { only: ['POST /task', 'GET /task/*', 'POST /upload'] },
    baseUrl: 'https://api.tripo3d.ai/v2/openapi',
  }),
];
