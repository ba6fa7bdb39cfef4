/** Messages: native for the vendor's models, Converse for all others. */
import { isObject, ok } from '@gatehouse/crds';
import {
  createConverseMessagesDecoder,
  createDialectDecoder,
  createInvokeMessagesDecoder,
  fromCount,
  remoteUrlsOfMessages,
  takesConverseMessages,
  takesInvokeMessages,
  toConverseCount,
  toConverseMessages,
  toInvokeCount,
  toInvokeMessages,
  toMessagesAnswer,
  withoutRegion,
} from '../../wire/bedrock/index.ts';
import { takesAll } from '../../wire/params/params.ts';
import type { Authorizer, Call, Endpoint, JsonObject } from '../contract.ts';
import { bedrockAuth } from './auth.ts';
import { betasOf, versionOf, writeBody } from './converse-target.ts';
import { type ModelFacts, modelFromId, modelPath, resolveModel } from './model.ts';

const isNative = ({ family }: ModelFacts): boolean => family === 'anthropic';

const pathTo = (converse: string, invoke: string) => (call: Call) => {
  const model = modelFromId(call);
  return modelPath(model.id, isNative(model) ? invoke : converse);
};

const toInvokeBody = (params: JsonObject, call: Call): JsonObject =>
  toInvokeMessages(params, { anthropicBeta: betasOf(call), anthropicVersion: versionOf(call) });

export const messages: Endpoint = {
  method: 'POST',
  path: pathTo('converse', 'invoke'),
  streamPath: pathTo('converse-stream', 'invoke-with-response-stream'),
  request: {
    kind: 'write',
    takes: (call) => {
      const { foundation, family } = modelFromId(call);
      if (foundation === undefined) return takesAll;
      return family === 'anthropic' ? takesInvokeMessages : takesConverseMessages;
    },
    write: (params, call, context) =>
      writeBody(
        call,
        context,
        (model) => (isNative(model) ? [] : remoteUrlsOfMessages(params)),
        (target, model) => ok(isNative(model) ? toInvokeBody(params, call) : toConverseMessages(params, target)),
      ),
  },
  answer: {
    kind: 'read',
    read: (body, call) => (isObject(body) && body['type'] === 'message' ? ok(body) : toMessagesAnswer(body, call)),
  },
  stream: {
    kind: 'decode',
    framing: 'aws-eventstream',
    open: (call) =>
      createDialectDecoder(call, { invoke: createInvokeMessagesDecoder, converse: createConverseMessagesDecoder }),
  },
};

export const messagesCountTokens: Endpoint = {
  method: 'POST',
  path: (call) => modelPath(withoutRegion(modelFromId(call).id), 'count-tokens'),
  request: {
    kind: 'write',
    takes: () => takesAll, // what is left out does not change the count
    write: (params, call, context) =>
      writeBody(
        call,
        context,
        (model) => (isNative(model) ? [] : remoteUrlsOfMessages(params)),
        (target, model) =>
          ok(
            isNative(model)
              ? toInvokeCount(toInvokeBody(params, call))
              : toConverseCount(toConverseMessages(params, target)),
          ),
      ),
  },
  answer: { kind: 'read', read: fromCount },
};

/**
 * Paths are made before the service can be asked: a call with an opaque inference profile is a Converse call unless the
 * look-up finds the vendor's model behind it. The authorizer runs last, so it can still change the path.
 */
export const modelResolvingAuth: Authorizer = {
  ...bedrockAuth,
  async apply(request, call, context) {
    if (call.endpoint === 'messages' && modelFromId(call).profile !== undefined) {
      const model = await resolveModel(call, context);
      if (isNative(model)) request.path = request.path.replace(/\/converse(-stream)?$/, toInvokePath);
    }
    await bedrockAuth.apply(request, call, context);
  },
};

const toInvokePath = (_: string, stream: string | undefined): string =>
  stream === undefined ? '/invoke' : '/invoke-with-response-stream';
