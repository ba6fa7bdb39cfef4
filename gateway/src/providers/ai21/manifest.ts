import { err, ok } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import {
  fromJurassicChat,
  fromJurassicCompletion,
  fromJurassicEmbedding,
  takesJurassicChat,
  takesJurassicCompletion,
  takesJurassicEmbedding,
  toJurassicChat,
  toJurassicCompletion,
  toJurassicEmbedding,
} from '../../wire/ai21/index.ts';
import { createOpenAiChatDecoder, readChatAnswer } from '../../wire/openai/index.ts';
import { takesAll } from '../../wire/params/params.ts';
import {
  type BodyHook,
  type Call,
  defineProvider,
  type Endpoint,
  type Provider,
  type RequestTable,
} from '../contract.ts';
import { bearer, pathText, requireModel, shapeBody } from '../engine/index.ts';
import { editMessages, foldDeveloper, OLDER_LIMIT, withoutMembers } from '../openai-like/index.ts';

/** Jamba models have the OpenAI format; older ones are Jurassic, whose name is in the path. */
const isJamba = (call: Call): boolean => requireModel(call).toLowerCase().startsWith('jamba');

const plainMessages: BodyHook = editMessages(foldDeveloper, withoutMembers('content_blocks'));

const JAMBA: RequestTable = { rename: OLDER_LIMIT, hooks: [plainMessages] };

const jurassicPath = (task: string) => (call: Call) => `/${pathText(requireModel(call), 'model')}/${task}`;

const chatComplete: Endpoint = {
  method: 'POST',
  path: (call) => (isJamba(call) ? '/chat/completions' : jurassicPath('chat')(call)),
  request: {
    kind: 'write',
    takes: (call) => (isJamba(call) ? takesAll : takesJurassicChat),
    write: (params, call) => ok(isJamba(call) ? shapeBody(JAMBA, params, call) : toJurassicChat(params)),
  },
  answer: {
    kind: 'read',
    read: (body, call) => (isJamba(call) ? readChatAnswer(body, call, {}) : fromJurassicChat(body, call)),
  },
  // Jurassic models do not stream: their answers are no event streams, and are read whole.
  stream: { kind: 'decode', framing: 'sse', open: (call) => createOpenAiChatDecoder(call) },
};

const complete: Endpoint = {
  method: 'POST',
  path: jurassicPath('complete'),
  supports: (call) => !isJamba(call),
  request: { kind: 'write', takes: () => takesJurassicCompletion, write: toJurassicCompletion },
  answer: { kind: 'read', read: fromJurassicCompletion },
};

const embed: Endpoint = {
  method: 'POST',
  path: '/embed',
  request: {
    kind: 'write',
    takes: () => takesJurassicEmbedding,
    write(params) {
      const body = toJurassicEmbedding(params);
      return body.ok ? body : err(new AppError('PARAMETER_INVALID', { detail: body.error, param: 'input' }));
    },
  },
  answer: { kind: 'read', read: fromJurassicEmbedding },
};

/** Facts: the public API references of the vendors. */
export const ai21: Provider = defineProvider({
  id: 'ai21',
  baseUrl: 'https://api.ai21.com/studio/v1',
  auth: bearer(),
  endpoints: { chatComplete, complete, embed },
  proxy: {
    dataPlane: [
      'POST /chat/completions',
      ...['chat', 'complete', 'tokenize'].map((task) => `POST /*/${task}`),
      ...['embed', 'paraphrase', 'summarize', 'answer', 'tokenize'].map((task) => `POST /${task}`),
    ],
    modelPlaces: [
      { model: 'body', calls: ['POST /chat/completions'] },
      { model: 'path', calls: ['chat', 'complete', 'tokenize'].map((task) => `POST /<model>/${task}`) },
    ],
  },
});
