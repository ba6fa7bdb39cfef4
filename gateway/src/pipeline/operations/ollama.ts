/** The API of Ollama, over the operations of the gateway: docs/behaviour/doors.md. */
import * as doors from '../doors/index.ts';
import { chatComplete } from './chat.ts';
import { embed as openaiEmbed } from './embeddings.ts';
import { answerOfModel, listModels } from './models/index.ts';
import { COMPLETIONS, type LocalAnswer, type Operation } from './operation.ts';

/** Examples of its API call it with curl, which names a form where nothing is said. */
const OF_OLLAMA = { errors: 'ollama', anyMediaType: true } as const;
const CHAT = { ...chatComplete, ...OF_OLLAMA, prompts: 'refused' } as const;
const VECTORS = { ...openaiEmbed, ...OF_OLLAMA } as const;

const chat: Operation = {
  ...CHAT,
  id: 'ollamaChat',
  routes: [{ method: 'POST', path: '/api/chat' }],
  door: doors.ollamaChat,
};

const generate: Operation = {
  ...CHAT,
  id: 'ollamaGenerate',
  routes: [{ method: 'POST', path: '/api/generate' }],
  door: doors.ollamaGenerate,
};

const embed: Operation = {
  ...VECTORS,
  id: 'ollamaEmbed',
  routes: [{ method: 'POST', path: '/api/embed' }],
  door: doors.ollamaEmbed,
};

const embeddings: Operation = {
  ...VECTORS,
  id: 'ollamaEmbeddings',
  routes: [{ method: 'POST', path: '/api/embeddings' }],
  door: doors.ollamaEmbeddings,
};

const tags: Operation = {
  ...listModels,
  id: 'ollamaTags',
  routes: [{ method: 'GET', path: '/api/tags' }],
  errors: 'ollama',
  door: doors.ollamaTags,
};

const show: Operation = {
  ...listModels,
  id: 'ollamaShow',
  routes: [{ method: 'POST', path: '/api/show' }],
  ...OF_OLLAMA,
  bodies: ['json'],
  door: doors.ollamaShow,
  answerLocally: answerOfModel,
};

/** Of the gateway itself. */
const told = (answer: object): (() => LocalAnswer) => {
  const bytes = Buffer.from(JSON.stringify(answer));
  return () => ({ headers: { 'content-type': 'application/json' }, bytes });
};

/** The version of the API: clients ask for it to see that a server is there. */
const API_VERSION = { version: '0.12.0' };

const version: Operation = {
  ...listModels,
  id: 'ollamaVersion',
  routes: [{ method: 'GET', path: '/api/version' }],
  scopes: [...COMPLETIONS, 'models.list'],
  errors: 'ollama',
  answerLocally: told(API_VERSION),
};

/** The models in the memory of the server: there are none. */
const running: Operation = {
  ...version,
  id: 'ollamaPs',
  routes: [{ method: 'GET', path: '/api/ps' }],
  answerLocally: told({ models: [] }),
};

/** By their ids. */
export const OLLAMA = {
  ollamaChat: chat,
  ollamaGenerate: generate,
  ollamaEmbed: embed,
  ollamaEmbeddings: embeddings,
  ollamaTags: tags,
  ollamaShow: show,
  ollamaVersion: version,
  ollamaPs: running,
} as const satisfies Record<string, Operation>;
