/** The data plane of the Gemini API. Source: the vendor's REST reference, without permissions and tuning. */
import type { ModelPlace } from '../contract.ts';
import { modelPlacesBelow, OPENAI_MODEL_PLACES, OPENAI_PATHS, pathsBelow } from '../openai-like/index.ts';

const VERSIONS = ['v1', 'v1beta', 'v1alpha'];

const OF_ONE_MODEL = [
  ...['generateContent', 'streamGenerateContent', 'countTokens', 'embedContent', 'predict', 'generateAnswer'],
  'predictLongRunning',
];
/** Each request in the batch names its own model. */
const OF_MANY = ['batchEmbedContents', 'asyncBatchEmbedContent', 'batchGenerateContent'];

export const DATA_PLANE: readonly string[] = VERSIONS.flatMap((version) => [
  ...[...OF_ONE_MODEL, ...OF_MANY].map((method) => `POST /${version}/models/*:${method}`),
  `POST /${version}/tunedModels/*:generateContent`,
  `POST /${version}/tunedModels/*:streamGenerateContent`,
  `GET /${version}/models`,
  `GET /${version}/models/*`,
  `GET /${version}/models/*/operations/*`,
  `GET|POST /${version}/files`,
  `POST /upload/${version}/files`,
  `GET|DELETE /${version}/files/*`,
  `GET /${version}/files/*:download`,
  `GET /download/${version}/files/*:download`,
  `GET /${version}/batches`,
  `GET|DELETE /${version}/batches/*`,
  `POST /${version}/batches/*:cancel`,
  `GET|POST /${version}/cachedContents`,
  `GET|PATCH|DELETE /${version}/cachedContents/*`,
  ...pathsBelow(`/${version}/openai`, OPENAI_PATHS),
]);

export const MODEL_PLACES: readonly ModelPlace[] = [
  {
    model: 'path',
    calls: VERSIONS.flatMap((version) => OF_ONE_MODEL.map((method) => `POST /${version}/models/<model>:${method}`)),
  },
  {
    model: 'none',
    calls: VERSIONS.flatMap((version) => [
      ...[`POST /${version}/files`, `POST /upload/${version}/files`, `DELETE /${version}/files/*`],
      ...[`DELETE /${version}/batches/*`, `POST /${version}/batches/*:cancel`, `DELETE /${version}/cachedContents/*`],
    ]),
  },
  ...modelPlacesBelow(
    VERSIONS.map((version) => `/${version}/openai`),
    OPENAI_MODEL_PLACES,
  ),
];
