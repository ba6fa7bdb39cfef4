import type { ModelPlace } from '../contract.ts';

/**
 * The data plane of Vertex AI, in the project and region of the account. Source: the vendor's REST reference. Calls
 * that start jobs name buckets and service accounts in their body and are left out.
 */
const VERSIONS = ['v1', 'v1beta1'];

const OF_MODELS = [
  ...['generateContent', 'streamGenerateContent', 'countTokens', 'computeTokens', 'predict', 'rawPredict'],
  ...['streamRawPredict', 'predictLongRunning', 'fetchPredictOperation', 'embedContent'],
];
const OF_ENDPOINTS = [
  ...['generateContent', 'streamGenerateContent', 'countTokens', 'predict', 'rawPredict', 'streamRawPredict'],
  ...['directPredict', 'directRawPredict'],
];

export const DATA_PLANE: readonly string[] = VERSIONS.flatMap((version) => {
  const place = `/${version}/projects/{vertex_project_id}/locations/{vertex_region}`;
  return [
    ...OF_MODELS.map((method) => `POST ${place}/publishers/*/models/*:${method}`),
    ...OF_ENDPOINTS.map((method) => `POST ${place}/endpoints/*:${method}`),
    `POST ${place}/endpoints/*/chat/completions`,
    `POST ${place}/endpoints/*/embeddings`,
    `GET ${place}/batchPredictionJobs`,
    `GET ${place}/batchPredictionJobs/*`,
    `GET|POST ${place}/cachedContents`,
    `GET|PATCH|DELETE ${place}/cachedContents/*`,
    `GET /${version}/publishers/*/models`,
    `GET /${version}/publishers/*/models/*`,
  ];
});

const ONE_MODEL = '/projects/*/locations/*/publishers/<model>/models/<model>';

/** Models of publishers. Endpoints are in no row: the model that one serves has no known name. */
export const MODEL_PLACES: readonly ModelPlace[] = [
  {
    model: 'path',
    calls: VERSIONS.flatMap((version) => OF_MODELS.map((method) => `POST /${version}${ONE_MODEL}:${method}`)),
    name: ([publisher = '', model = '']) => (publisher === 'google' ? model : `${publisher}.${model}`),
  },
  {
    model: 'none',
    calls: VERSIONS.map((version) => `DELETE /${version}/projects/*/locations/*/cachedContents/*`),
  },
];
