import type { CallInside } from '../call-inside.ts';
import type { Route } from '../exchange.ts';
import { createFileStore } from '../store.ts';
import { answerSpeech, answerTranscription } from './audio.ts';
import { deploymentRoutes } from './azure.ts';
import { createBatchRoutes } from './batches.ts';
import { answerChat } from './chat.ts';
import { answerCompletion } from './completions.ts';
import { answerEmbeddings } from './embeddings.ts';
import { openai } from './errors.ts';
import { createFileRoutes, type FileObject } from './files.ts';
import { createFineTuningRoutes } from './fine-tuning.ts';
import { IMAGE_ROUTES } from './images.ts';
import { listModels, retrieveModel } from './models.ts';
import { answerModeration } from './moderations.ts';
import { createRealtimeRoutes } from './realtime.ts';
import { RERANK_ROUTES } from './rerank.ts';
import { createResponsesRoutes } from './responses/index.ts';
import { createVectorStoreRoutes } from './vector-stores.ts';

export { openai } from './errors.ts';
export { toTokenLogprobs } from './logprobs.ts';

/** The OpenAI paths. What clients store is remembered, within bounds, for as long as the routes live. */
export function createOpenaiRoutes(call: CallInside): readonly Route[] {
  const dialect = openai;
  const files = createFileStore<FileObject>();
  const typed: readonly Route[] = [
    { method: 'POST', path: '/v1/chat/completions', dialect, input: 'json', handle: answerChat },
    { method: 'POST', path: '/v1/completions', dialect, input: 'json', handle: answerCompletion },
    { method: 'POST', path: '/v1/embeddings', dialect, input: 'json', handle: answerEmbeddings },
    { method: 'POST', path: '/v1/moderations', dialect, input: 'json', handle: answerModeration },
    { method: 'POST', path: '/v1/audio/speech', dialect, input: 'json', handle: answerSpeech },
    { method: 'POST', path: '/v1/audio/transcriptions', dialect, input: 'form', handle: answerTranscription },
    { method: 'POST', path: '/v1/audio/translations', dialect, input: 'form', handle: answerTranscription },
    ...IMAGE_ROUTES,
  ];
  return [
    ...typed,
    ...deploymentRoutes(typed),
    { method: 'GET', path: '/v1/models', dialect, input: 'none', handle: listModels },
    { method: 'GET', path: /^\/v1\/models\/([^/]+)$/, dialect, input: 'none', handle: retrieveModel },
    ...RERANK_ROUTES,
    ...createFileRoutes(files),
    ...createBatchRoutes(files, call),
    ...createFineTuningRoutes(files),
    ...createVectorStoreRoutes(files),
    ...createResponsesRoutes(),
    ...createRealtimeRoutes(),
  ];
}
