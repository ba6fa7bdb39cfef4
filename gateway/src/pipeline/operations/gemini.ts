/** The Gemini API, over the operations of the gateway: docs/behaviour/doors.md. Paths are those of `listener/gemini-paths.ts`. */
import * as doors from '../doors/index.ts';
import { chatComplete } from './chat.ts';
import { embed } from './embeddings.ts';
import { messagesCountTokens } from './messages.ts';
import { listModels } from './models/index.ts';
import type { Operation, OperationRoute } from './operation.ts';
import { typedHandler } from './typed/index.ts';

const ofModel = (call: string): readonly OperationRoute[] => [
  { method: 'POST', path: `/v1beta/models/:model/${call}` },
];

const CHAT = { ...chatComplete, prompts: 'refused', errors: 'gemini' } as const;
const VECTORS = { ...embed, errors: 'gemini' } as const;

const generate: Operation = {
  ...CHAT,
  id: 'geminiGenerateContent',
  routes: ofModel('generateContent'),
  door: doors.geminiChat,
};

const stream: Operation = {
  ...CHAT,
  id: 'geminiStreamGenerateContent',
  routes: ofModel('streamGenerateContent'),
  door: doors.geminiChatStream,
};

const count: Operation = {
  ...messagesCountTokens,
  id: 'geminiCountTokens',
  routes: ofModel('countTokens'),
  errors: 'gemini',
  streamFormat: 'events',
  limitedAs: messagesCountTokens.id,
  door: doors.geminiCount,
  handler: typedHandler('countTokens', { model: 'body' }),
};

const vector: Operation = {
  ...VECTORS,
  id: 'geminiEmbedContent',
  routes: ofModel('embedContent'),
  door: doors.geminiEmbed,
};

const vectors: Operation = {
  ...VECTORS,
  id: 'geminiBatchEmbedContents',
  routes: ofModel('batchEmbedContents'),
  door: doors.geminiEmbedBatch,
};

const models: Operation = {
  ...listModels,
  id: 'geminiListModels',
  routes: [{ method: 'GET', path: '/v1beta/models' }],
  errors: 'gemini',
  door: doors.geminiModels,
};

/** By their ids. */
export const GEMINI = {
  geminiGenerateContent: generate,
  geminiStreamGenerateContent: stream,
  geminiCountTokens: count,
  geminiEmbedContent: vector,
  geminiBatchEmbedContents: vectors,
  geminiListModels: models,
} as const satisfies Record<string, Operation>;
