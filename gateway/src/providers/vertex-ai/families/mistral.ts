import { ok } from '@gatehouse/crds';
import {
  MISTRAL_ID_MEMBERS,
  MISTRAL_PARAMETERS,
  mistralDialect,
  toMistralToolChoice,
  withMistralIds,
} from '../../../wire/mistral/mistral.ts';
import { createOpenAiChatDecoder, readChatAnswer } from '../../../wire/openai/index.ts';
import { takesAll } from '../../../wire/params/params.ts';
import type { BodyHook, RequestTable } from '../../contract.ts';
import { shapeBody, takenByTable } from '../../engine/index.ts';
import { editMessages } from '../../openai-like/index.ts';
import { publisherPath } from '../paths.ts';
import type { ChatFamily } from './family.ts';
import { plainMessages } from './openai.ts';

const toolChoice: BodyHook = (params) =>
  'tool_choice' in params ? { ...params, tool_choice: toMistralToolChoice(params['tool_choice']) } : params;

const MISTRAL: RequestTable = {
  ...MISTRAL_PARAMETERS,
  hooks: [plainMessages, editMessages({ signs: MISTRAL_ID_MEMBERS, apply: withMistralIds }), toolChoice],
};

const TAKEN = takenByTable(MISTRAL) ?? takesAll;

export const mistralFamily: ChatFamily = {
  path: (call, name) => publisherPath(call, { publisher: 'mistralai', name }, 'rawPredict'),
  streamPath: (call, name) => publisherPath(call, { publisher: 'mistralai', name }, 'streamRawPredict'),
  takes: () => TAKEN,
  write: (params, call, name) => ok({ ...shapeBody(MISTRAL, params, call), model: name }),
  read: (body, call) => readChatAnswer(body, call, mistralDialect),
  open: (call) => createOpenAiChatDecoder(call, mistralDialect),
};
