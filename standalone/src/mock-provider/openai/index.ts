import type { Route } from '../exchange.ts';
import { answerSpeech, answerTranscription } from './audio.ts';
import { answerChat } from './chat.ts';
import { answerCompletion } from './completions.ts';
import { answerEmbeddings } from './embeddings.ts';
import { openai } from './errors.ts';
import { uploadFile } from './files.ts';
import { listModels, retrieveModel } from './models.ts';
import { answerModeration } from './moderations.ts';
import { createResponsesRoutes } from './responses/index.ts';

export { openai } from './errors.ts';

/** The OpenAI paths; the responses among them are remembered for as long as the routes live. */
export function createOpenaiRoutes(): readonly Route[] {
  const dialect = openai;
  return [
    { method: 'POST', path: '/v1/chat/completions', dialect, input: 'json', handle: answerChat },
    { method: 'POST', path: '/v1/completions', dialect, input: 'json', handle: answerCompletion },
    { method: 'POST', path: '/v1/embeddings', dialect, input: 'json', handle: answerEmbeddings },
    { method: 'POST', path: '/v1/moderations', dialect, input: 'json', handle: answerModeration },
    { method: 'POST', path: '/v1/audio/speech', dialect, input: 'json', handle: answerSpeech },
    { method: 'POST', path: '/v1/audio/transcriptions', dialect, input: 'form', handle: answerTranscription },
    { method: 'POST', path: '/v1/audio/translations', dialect, input: 'form', handle: answerTranscription },
    { method: 'POST', path: '/v1/files', dialect, input: 'form', handle: uploadFile },
    { method: 'GET', path: '/v1/models', dialect, input: 'none', handle: listModels },
    { method: 'GET', path: /^\/v1\/models\/([^/]+)$/, dialect, input: 'none', handle: retrieveModel },
    ...createResponsesRoutes(),
  ];
}
