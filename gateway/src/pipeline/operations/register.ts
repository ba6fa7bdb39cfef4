/** Every operation of the data plane, and the routes that lead to them. */
import { createSpeech, createTranscription, createTranslation } from './audio.ts';
import { cancelBatch, createBatch, getBatch, getBatchOutput, listBatches } from './batches.ts';
import { chatComplete } from './chat.ts';
import { COHERE } from './cohere.ts';
import { complete } from './completions.ts';
import { embed } from './embeddings.ts';
import { createFile, deleteFile, getFile, getFileContent, listFiles } from './files.ts';
import {
  cancelFinetune,
  createFinetune,
  getFinetune,
  listFinetuneCheckpoints,
  listFinetuneEvents,
  listFinetunes,
} from './fine-tuning.ts';
import { GEMINI } from './gemini.ts';
import { imageEdit, imageGenerate, imageVariation } from './images.ts';
import { ingestLogs, ingestSpans } from './ingest.ts';
import { MESSAGE_BATCHES } from './message-batches.ts';
import { messages, messagesCountTokens } from './messages.ts';
import { listModels } from './models/index.ts';
import { moderate } from './moderations.ts';
import { OLLAMA } from './ollama.ts';
import type { Operation, OperationRoute } from './operation.ts';
import { promptComplete, promptRender } from './prompts.ts';
import { proxy } from './proxy/index.ts';
import { realtime } from './realtime.ts';
import { REALTIME_CALLS } from './realtime-calls/index.ts';
import { rerank } from './rerank.ts';
import { createModelResponse, deleteModelResponse, getModelResponse, listResponseInputItems } from './responses.ts';
import { tokenize } from './tokenize/index.ts';

/** By their ids. */
export const OPERATIONS = {
  chatComplete,
  complete,
  embed,
  moderate,
  rerank,
  imageGenerate,
  imageEdit,
  imageVariation,
  createSpeech,
  createTranscription,
  createTranslation,
  messages,
  messagesCountTokens,
  createModelResponse,
  getModelResponse,
  deleteModelResponse,
  listResponseInputItems,
  realtime,
  ...REALTIME_CALLS,
  createFile,
  listFiles,
  getFile,
  getFileContent,
  deleteFile,
  createBatch,
  listBatches,
  getBatch,
  getBatchOutput,
  cancelBatch,
  createFinetune,
  listFinetunes,
  getFinetune,
  listFinetuneEvents,
  listFinetuneCheckpoints,
  cancelFinetune,
  ...MESSAGE_BATCHES,
  listModels,
  ...OLLAMA,
  ...COHERE,
  ...GEMINI,
  tokenize,
  ingestLogs,
  ingestSpans,
  promptComplete,
  promptRender,
  proxy,
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof OPERATIONS;

export interface Route extends OperationRoute {
  readonly operation: Operation;
}

export const ROUTES: readonly Route[] = Object.values(OPERATIONS).flatMap((operation) =>
  operation.routes.map((route) => ({ ...route, operation })),
);
