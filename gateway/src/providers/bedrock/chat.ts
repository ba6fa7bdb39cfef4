/** Chat: Converse, or text completion for models without chat. */
import { ok } from '@gatehouse/crds';
import {
  createConverseDecoder,
  createDialectDecoder,
  createLegacyChatDecoder,
  fromConverseAnswer,
  fromCount,
  fromLegacyChatAnswer,
  isLegacyChat,
  remoteUrlsOf,
  takesComplete,
  takesConverse,
  toConverseBody,
  toConverseCount,
  toLegacyChatBody,
  withoutRegion,
} from '../../wire/bedrock/index.ts';
import { takesAll } from '../../wire/params/params.ts';
import type { Call, Endpoint } from '../contract.ts';
import { writeBody } from './converse-target.ts';
import { modelFromId, modelPath } from './model.ts';

const pathTo = (converse: string, invoke: string) => (call: Call) => {
  const { id, foundation } = modelFromId(call);
  return modelPath(id, isLegacyChat(foundation) ? invoke : converse);
};

export const chatComplete: Endpoint = {
  method: 'POST',
  path: pathTo('converse', 'invoke'),
  streamPath: pathTo('converse-stream', 'invoke-with-response-stream'),
  request: {
    kind: 'write',
    takes: (call) => {
      const { foundation, family } = modelFromId(call);
      if (foundation === undefined) return takesAll;
      return isLegacyChat(foundation) ? takesComplete(family) : takesConverse(family);
    },
    write: (params, call, context) =>
      writeBody(
        call,
        context,
        ({ foundation }) => (isLegacyChat(foundation) ? [] : remoteUrlsOf(params)),
        (target, { foundation, family }) =>
          isLegacyChat(foundation) ? toLegacyChatBody(params, family) : ok(toConverseBody(params, target)),
      ),
  },
  answer: {
    kind: 'read',
    read: (body, call, head) =>
      isLegacyChat(modelFromId(call).foundation)
        ? fromLegacyChatAnswer(body, call, head.headers)
        : fromConverseAnswer(body, call),
  },
  stream: {
    kind: 'decode',
    framing: 'aws-eventstream',
    open: (call) => createDialectDecoder(call, { invoke: createLegacyChatDecoder, converse: createConverseDecoder }),
  },
};

export const countTokens: Endpoint = {
  method: 'POST',
  path: (call) => modelPath(withoutRegion(modelFromId(call).id), 'count-tokens'),
  supports: (call) => !isLegacyChat(modelFromId(call).foundation),
  request: {
    kind: 'write',
    takes: () => takesAll, // what is left out does not change the count
    write: (params, call, context) =>
      writeBody(
        call,
        context,
        () => remoteUrlsOf(params),
        (target) => ok(toConverseCount(toConverseBody(params, target))),
      ),
  },
  answer: { kind: 'read', read: fromCount },
};
