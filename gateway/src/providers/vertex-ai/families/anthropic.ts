import { err, isObject, ok } from '@gatehouse/crds';
import {
  createAnthropicDecoder,
  fromAnthropicAnswer,
  takesAnthropicChat,
  toAnthropicBody,
  toCountBody,
} from '../../../wire/anthropic/index.ts';
import type { WireContext } from '../../../wire/contract.ts';
import type { Call } from '../../contract.ts';
import { toCountTokens, toRawPredict } from '../claude-body.ts';
import { countPath, publisherPath } from '../paths.ts';
import type { ChatFamily } from './family.ts';

/** Claude: the body of the messages API with its model in the path. */
export const anthropicFamily: ChatFamily = {
  path: (call, name) => publisherPath(call, { publisher: 'anthropic', name }, 'rawPredict'),
  streamPath: (call, name) => publisherPath(call, { publisher: 'anthropic', name }, 'streamRawPredict'),
  takes: () => takesAnthropicChat,
  write(params, call, name) {
    const body = toAnthropicBody(params, withModel(call, name));
    return body.ok ? ok(toRawPredict({ ...body.value, anthropic_version: params['anthropic_version'] }, call)) : body;
  },
  read: fromAnthropicAnswer,
  open: createAnthropicDecoder,
  count: {
    path: countPath,
    write(params, call, name) {
      const body = toAnthropicBody(params, withModel(call, name));
      return body.ok ? ok(toCountTokens(toCountBody(body.value), call)) : body;
    },
    read: (body) => (isObject(body) ? ok(body) : err('the answer is no object')),
  },
};

const withModel = (call: Call, model: string): WireContext => ({
  provider: call.provider,
  model,
  strict: call.strict,
  params: call.params,
  now: () => call.now(),
  newId: (prefix, length) => call.newId(prefix, length),
});
