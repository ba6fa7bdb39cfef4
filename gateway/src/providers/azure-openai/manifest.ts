import { azureAuth, openBlob } from '../clouds/azure/index.ts';
import { type BodyHook, type Call, defineProvider, type FormTable, type Provider } from '../contract.ts';
import { apiKeyHeader } from '../engine/index.ts';
import {
  BEYOND_OPENAI,
  batchEndpoints,
  batchOutput,
  chatEndpoint,
  completionEndpoint,
  dataPlaneOf,
  embeddingsEndpoint,
  fileEndpoints,
  finetuneEndpoints,
  furtherEndpoints,
  listedRows,
  modelPlacesBelow,
  NOT_NEGATIVE,
  OPENAI_MODEL_PLACES,
  OPENAI_PATHS,
  openAiMessages,
  pathsBelow,
  realtimeCallEndpoints,
  realtimeEndpoint,
  realtimeSecretEndpoint,
  realtimeSessionEndpoint,
  responsesEndpoints,
  uploadedFile,
} from '../openai-like/index.ts';
import { finetuneAnswer, olderMethod } from './fine-tuning.ts';
import { readModels } from './models.ts';
import {
  deploymentPath,
  isVersionless,
  proxiedPath,
  proxyBaseUrl,
  realtimeCallPath,
  realtimePath,
  resourcePath,
} from './paths.ts';

/** The deployment that a body names because the path does not. */
const deploymentInBody = (call: Call): string | undefined =>
  isVersionless(call) ? call.fields.text('deployment_id') : undefined;

const deploymentAsModel: BodyHook = (params, call) => {
  const deployment = deploymentInBody(call);
  return deployment === undefined || params['model'] === deployment ? params : { ...params, model: deployment };
};

const DEPLOYMENT_FIELD: FormTable = {
  set(call) {
    const deployment = deploymentInBody(call);
    return deployment === undefined ? {} : { model: deployment };
  },
};

/** Paths of the account's own deployment. Deployments themselves are managed elsewhere. */
const OF_DEPLOYMENTS = [
  'POST /chat/completions',
  'POST /extensions/chat/completions',
  'POST /completions',
  'POST /embeddings',
  'POST /images/*',
  'POST /audio/*',
];

/** Sessions outside of WebSockets name the deployment as their model, whichever version the account has. */
const OF_DEPLOYMENT = { modelOf: (call: Call): string => call.fields.text('deployment_id') ?? call.model };

const FINETUNES = finetuneEndpoints(resourcePath, { hooks: [olderMethod], answer: finetuneAnswer });

/** OpenAI's models behind the account's own deployments. */
export const azureOpenai: Provider = defineProvider({
  id: 'azure-openai',
  baseUrl: 'https://{resource_name}.openai.azure.com/openai',
  auth: azureAuth({ apiKey: apiKeyHeader('api-key') }),
  headers: { 'openai-beta': (call) => call.fields.text('openai_beta') ?? call.header('openai-beta') },
  endpoints: {
    chatComplete: chatEndpoint({
      path: deploymentPath('/chat/completions'),
      model: 'account',
      clamp: { max_completion_tokens: NOT_NEGATIVE },
      hooks: [deploymentAsModel],
      messages: openAiMessages,
      lacks: BEYOND_OPENAI,
      files: uploadedFile,
    }),
    complete: completionEndpoint({
      path: deploymentPath('/completions'),
      model: 'account',
      hooks: [deploymentAsModel],
    }),
    embed: embeddingsEndpoint({
      path: deploymentPath('/embeddings'),
      model: 'account',
      hooks: [deploymentAsModel],
    }),
    ...furtherEndpoints({
      imageGenerate: { path: deploymentPath('/images/generations'), hooks: [deploymentAsModel] },
      createSpeech: {
        path: deploymentPath('/audio/speech'),
        model: 'account',
        hooks: [deploymentAsModel],
        inject: { voice: 'alloy' },
      },
      imageEdit: { path: deploymentPath('/images/edits'), form: DEPLOYMENT_FIELD },
      createTranscription: { path: deploymentPath('/audio/transcriptions'), model: 'account', form: DEPLOYMENT_FIELD },
      createTranslation: { path: deploymentPath('/audio/translations'), model: 'account', form: DEPLOYMENT_FIELD },
    }),
    ...responsesEndpoints((call, below) => resourcePath(call, `/responses${below}`), { hooks: [deploymentAsModel] }),
    realtime: realtimeEndpoint(realtimePath),
    ...realtimeCallEndpoints(realtimeCallPath, OF_DEPLOYMENT),
    ...realtimeSecretEndpoint(realtimeCallPath, OF_DEPLOYMENT),
    createRealtimeSession: realtimeSessionEndpoint((call) => resourcePath(call, '/realtimeapi/sessions', ''), {
      ...OF_DEPLOYMENT,
      supports: (call) => !isVersionless(call),
    }),
    ...fileEndpoints(resourcePath),
    ...batchEndpoints(resourcePath),
    ...FINETUNES,
  },
  procedures: { getBatchOutput: batchOutput(resourcePath, { openBlob }) },
  rowChecks: { createBatch: listedRows(resourcePath) },
  models: { path: (call) => resourcePath(call, '/models'), read: readModels },
  proxy: {
    path: proxiedPath,
    baseUrl: proxyBaseUrl,
    modelPlaces: modelPlacesBelow(
      ['', '/v1', '/openai', '/openai/v1'],
      [{ model: 'path', calls: pathsBelow('/deployments/<model>', OF_DEPLOYMENTS) }, ...OPENAI_MODEL_PLACES],
    ),
    dataPlane: [...dataPlaneOf(OPENAI_PATHS), ...pathsBelow('/deployments/{deployment_id}', OF_DEPLOYMENTS)],
  },
});
