/** The API of Cohere, over the operations of the gateway: docs/behaviour/doors.md. */
import * as doors from '../doors/index.ts';
import { chatComplete } from './chat.ts';
import { embed } from './embeddings.ts';
import type { Operation } from './operation.ts';
import { rerank } from './rerank.ts';

const chat: Operation = {
  ...chatComplete,
  id: 'cohereChat',
  routes: [{ method: 'POST', path: '/v2/chat' }],
  prompts: 'refused',
  errors: 'cohere',
  door: doors.cohereChat,
};

const vectors: Operation = {
  ...embed,
  id: 'cohereEmbed',
  routes: [{ method: 'POST', path: '/v2/embed' }],
  errors: 'cohere',
  door: doors.cohereEmbed,
};

const ranking: Operation = {
  ...rerank,
  id: 'cohereRerank',
  routes: [{ method: 'POST', path: '/v2/rerank' }],
  errors: 'cohere',
  door: doors.cohereRerank,
};

/** By their ids. */
export const COHERE = {
  cohereChat: chat,
  cohereEmbed: vectors,
  cohereRerank: ranking,
} as const satisfies Record<string, Operation>;
