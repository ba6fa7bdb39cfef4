/** The families of the OpenAI format. */
import { ok } from '@gatehouse/crds';
import { createOpenAiChatDecoder, readChatAnswer } from '../../../wire/openai/index.ts';
import { takesAll } from '../../../wire/params/params.ts';
import type { BodyHook, RequestTable } from '../../contract.ts';
import { shapeBody } from '../../engine/index.ts';
import { editMessages, foldDeveloper, withoutMembers } from '../../openai-like/index.ts';
import { endpointPath, projectPath } from '../paths.ts';
import type { ChatFamily } from './family.ts';

/** Messages for open models. */
export const plainMessages: BodyHook = editMessages(foldDeveloper, withoutMembers('content_blocks'));

const META: RequestTable = {
  rename: { max_completion_tokens: 'max_tokens' },
  clamp: {
    max_tokens: { min: 1, max: 2048 },
    max_completion_tokens: { min: 1, max: 2048 },
    temperature: { min: 0, max: 1 },
    top_p: { min: 0, max: 1 },
    top_k: { min: 0, max: 2048 },
  },
  hooks: [plainMessages],
};

const ENDPOINT: RequestTable = { hooks: [plainMessages] };

const openAi = {
  read: (body, call) => readChatAnswer(body, call, {}),
  open: (call) => createOpenAiChatDecoder(call),
  takes: () => takesAll,
} satisfies Pick<ChatFamily, 'read' | 'open' | 'takes'>;

const META_PATH = 'endpoints/openapi/chat/completions';

/** Meta's models behind the shared OpenAI endpoint. */
export const metaFamily: ChatFamily = {
  ...openAi,
  framing: 'json-lines',
  path: (call) => `${projectPath(call, 'v1beta1')}/${META_PATH}`,
  streamPath: (call) => `${projectPath(call, 'v1beta1')}/${META_PATH}`,
  write: (params, call, name) => ok({ ...shapeBody(META, params, call), model: `meta/${name}` }),
};

const chatPath: ChatFamily['path'] = (call, name) => `${endpointPath(call, name)}/chat/completions`;

/** A model deployed to an endpoint of the project, by number or by its full resource name. */
export const endpointFamily: ChatFamily = {
  ...openAi,
  path: chatPath,
  streamPath: chatPath,
  write: (params, call, name) => ok({ ...shapeBody(ENDPOINT, params, call), model: name }),
};
