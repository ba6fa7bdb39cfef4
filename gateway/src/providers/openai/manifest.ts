import { defineProvider, type Provider } from '../contract.ts';
import { bearer } from '../engine/index.ts';
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
  modelPlacesOf,
  OPENAI_MODEL_PLACES,
  OPENAI_PATHS,
  openAiMessages,
  realtimeBelow,
  realtimeCallEndpoints,
  realtimeCallsBelow,
  realtimeSecretEndpoint,
  realtimeSessionEndpoint,
  relayedEndpoint,
  resourcesBelow,
  responsesBelow,
  responsesEndpoints,
  transcriptionSessionEndpoint,
  translationCallEndpoints,
  uploadedFile,
} from '../openai-like/index.ts';

const RELAYED = { answer: { kind: 'relay' } } as const;
const RESOURCES = resourcesBelow('');
const REALTIME = realtimeCallsBelow('');

/** OpenAI: bodies pass byte for byte wherever nothing has to be changed. */
export const openai: Provider = defineProvider({
  id: 'openai',
  baseUrl: 'https://api.openai.com/v1',
  auth: bearer(),
  headers: {
    'openai-organization': '{openai_organization}',
    'openai-project': '{openai_project}',
    'openai-beta': (call) => call.fields.text('openai_beta') ?? call.header('openai-beta'),
  },
  endpoints: {
    chatComplete: relayedEndpoint(
      chatEndpoint({ messages: openAiMessages, lacks: BEYOND_OPENAI, files: uploadedFile }),
    ),
    complete: relayedEndpoint(completionEndpoint({})),
    embed: relayedEndpoint(embeddingsEndpoint({})),
    ...furtherEndpoints({
      moderate: RELAYED,
      imageGenerate: RELAYED,
      imageEdit: {},
      imageVariation: {},
      createSpeech: { inject: { voice: 'alloy' } },
      createTranscription: {},
      createTranslation: {},
    }),
    ...responsesEndpoints(responsesBelow('')),
    realtime: realtimeBelow(''),
    ...realtimeCallEndpoints(REALTIME),
    ...realtimeSecretEndpoint(REALTIME),
    createRealtimeSession: realtimeSessionEndpoint('/realtime/sessions'),
    createTranscriptionSession: transcriptionSessionEndpoint('/realtime/transcription_sessions'),
    ...translationCallEndpoints(REALTIME),
    ...fileEndpoints(RESOURCES, RELAYED),
    ...batchEndpoints(RESOURCES, RELAYED),
    ...finetuneEndpoints(RESOURCES, RELAYED),
  },
  procedures: { getBatchOutput: batchOutput(RESOURCES) },
  rowChecks: { createBatch: listedRows(RESOURCES) },
  rowBatches: {
    endpoints: ['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/responses', '/v1/moderations'],
    input: 'file',
    options: ['metadata', 'output_expires_after'],
  },
  models: { path: '/models' },
  proxy: { dataPlane: dataPlaneOf(OPENAI_PATHS), modelPlaces: modelPlacesOf(OPENAI_MODEL_PLACES) },
});
