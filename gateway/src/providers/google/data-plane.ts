/** What proxied calls reach of the Gemini API. Source: the vendor's REST reference, without permissions and tuning. */
import { OPENAI_PATHS, pathsBelow } from '../openai-like/index.ts';

const VERSIONS = ['v1', 'v1beta', 'v1alpha'];

const OF_MODELS = [
  ...['generateContent', 'streamGenerateContent', 'countTokens', 'embedContent', 'batchEmbedContents', 'predict'],
  ...['asyncBatchEmbedContent', 'batchGenerateContent', 'generateAnswer', 'predictLongRunning'],
];

export const DATA_PLANE: readonly string[] = VERSIONS.flatMap((version) => [
  ...OF_MODELS.map((method) => `POST /${version}/models/*:${method}`),
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
