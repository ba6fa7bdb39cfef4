import { azureAuth, joinQuery, openBlob, splitQuery, withVersion } from '../clouds/azure/index.ts';
import { type Call, defineProvider, type Endpoint, type Provider } from '../contract.ts';
import { fieldMissing, proxyPath } from '../engine/index.ts';
import {
  batchEndpoints,
  batchOutput,
  chatEndpoint,
  completionEndpoint,
  dataPlaneOf,
  embeddingsEndpoint,
  fileEndpoints,
  furtherEndpoints,
  listedRows,
  modelPlacesOf,
  NOT_NEGATIVE,
  OPENAI_MODEL_PLACES,
  OPENAI_PATHS,
  realtimeCallEndpoints,
  realtimeEndpoint,
  realtimeSecretEndpoint,
  responsesEndpoints,
} from '../openai-like/index.ts';
import {
  anthropicBeta,
  anthropicVersion,
  apiKey,
  chatInEitherMode,
  isAnthropic,
  nativeMessages,
} from './anthropic-mode.ts';

const versioned =
  (path: string) =>
  (call: Call): string =>
    joinQuery(path, withVersion(call.query, call.fields.text('azure_api_version')));

const openAiOnly = (endpoint: Endpoint): Endpoint => ({ ...endpoint, supports: (call) => !isAnthropic(call) });

/** The responses API is offered when the client's header says that the deployment has it. */
const onRequest = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  supports: (call) => call.header('x-gw-provider-responses-proxy') === 'true',
});

const chat = {
  path: versioned('/chat/completions'),
  model: 'account' as const,
  drop: ['functions', 'function_call'],
  clamp: { max_completion_tokens: NOT_NEGATIVE },
};

const further = furtherEndpoints({
  imageGenerate: { path: versioned('/images/generations') },
  createSpeech: { path: versioned('/audio/speech'), model: 'account', inject: { voice: 'alloy' } },
  imageEdit: { path: versioned('/images/edits') },
  createTranscription: { path: versioned('/audio/transcriptions'), model: 'account' },
  createTranslation: { path: versioned('/audio/translations'), model: 'account' },
});

const responses = responsesEndpoints((call, below) => versioned(`/responses${below}`)(call));

/** Files and batches belong to the resource, not to the model endpoint. */
function resourceUrl(call: Call): string | undefined {
  const url = call.fields.text('azure_foundry_url');
  const origin = url === undefined ? undefined : URL.parse(url)?.origin;
  return origin === undefined ? undefined : `${origin}/openai`;
}

const proxyBaseUrl = (call: Call): string | undefined =>
  /^\/(?:files|batches)(?:[/?]|$)/.test(proxyPath(call)) ? resourceUrl(call) : undefined;

const resourcePath = (call: Call, below: string, query: string): string =>
  joinQuery(below, withVersion(query, call.fields.text('azure_api_version')));

const openAiCall = { supports: (call: Call): boolean => !isAnthropic(call) };
const RESOURCES = { ...fileEndpoints(resourcePath, openAiCall), ...batchEndpoints(resourcePath, openAiCall) };
const realtimePath = (call: Call, below: string): string => resourcePath(call, `/realtime${below}`, '');
const ofResource = (call: Call): boolean =>
  Object.hasOwn(RESOURCES, call.endpoint) || call.endpoint === 'getBatchOutput';

function baseUrl(call: Call): string {
  const url = call.fields.text('azure_foundry_url');
  if (url === undefined) throw fieldMissing(call.provider, 'azure_foundry_url');
  return (ofResource(call) ? resourceUrl(call) : undefined) ?? url;
}

/** Foundry models, in OpenAI's format or in Anthropic's. */
export const azureAi: Provider = defineProvider({
  id: 'azure-ai',
  baseUrl,
  auth: azureAuth({ apiKey }),
  headers: {
    'extra-parameters': (call) =>
      isAnthropic(call) ? undefined : (call.fields.text('azure_extra_parameters') ?? 'drop'),
    'azureml-model-deployment': '{azure_deployment_name}',
    'anthropic-version': anthropicVersion,
    'anthropic-beta': anthropicBeta,
  },
  endpoints: {
    chatComplete: chatInEitherMode({ ...chatEndpoint(chat), path: chat.path }),
    complete: openAiOnly(completionEndpoint({ path: versioned('/completions'), model: 'account' })),
    embed: openAiOnly(embeddingsEndpoint({ path: versioned('/embeddings'), model: 'account' })),
    imageGenerate: openAiOnly(further.imageGenerate),
    createSpeech: openAiOnly(further.createSpeech),
    imageEdit: openAiOnly(further.imageEdit),
    createTranscription: openAiOnly(further.createTranscription),
    createTranslation: openAiOnly(further.createTranslation),
    messages: nativeMessages,
    createModelResponse: onRequest(responses.createModelResponse),
    getModelResponse: onRequest(responses.getModelResponse),
    deleteModelResponse: onRequest(responses.deleteModelResponse),
    listResponseInputItems: onRequest(responses.listResponseInputItems),
    realtime: openAiOnly(
      realtimeEndpoint((call, query) =>
        joinQuery('/realtime', withVersion(query, call.fields.text('azure_api_version'))),
      ),
    ),
    ...realtimeCallEndpoints(realtimePath, openAiCall),
    ...realtimeSecretEndpoint(realtimePath, openAiCall),
    ...RESOURCES,
  },
  procedures: { getBatchOutput: batchOutput(resourcePath, { ...openAiCall, openBlob }) },
  rowChecks: { createBatch: listedRows(resourcePath) },
  models: { path: versioned('/models') },
  proxy: {
    path: (call) => {
      const [path, query] = splitQuery(proxyPath(call));
      return joinQuery(path, withVersion(query, call.fields.text('azure_api_version')));
    },
    baseUrl: proxyBaseUrl,
    dataPlane: [...dataPlaneOf(OPENAI_PATHS), 'GET /info'],
    modelPlaces: modelPlacesOf(OPENAI_MODEL_PLACES),
  },
});
