import {
  createCompleteDecoder,
  fromCompleteAnswer,
  hasTextCompletion,
  takesComplete,
  toCompleteBody,
} from '../../wire/bedrock/index.ts';
import type { Call, Endpoint } from '../contract.ts';
import { andThen } from '../engine/index.ts';
import { knownFamily, modelFromId, modelPath, resolveModel } from './model.ts';

const pathTo = (action: string) => (call: Call) => modelPath(modelFromId(call).id, action);

/** Text completion of the families that have one. */
export const complete: Endpoint = {
  method: 'POST',
  path: pathTo('invoke'),
  streamPath: pathTo('invoke-with-response-stream'),
  supports: (call) => {
    const { foundation, family } = modelFromId(call);
    return foundation === undefined || hasTextCompletion(family);
  },
  request: {
    kind: 'write',
    takes: (call) => takesComplete(knownFamily(call)),
    write: (params, call, context) =>
      andThen(resolveModel(call, context), ({ family }) => toCompleteBody(params, family)),
  },
  answer: { kind: 'read', read: (body, call, head) => fromCompleteAnswer(body, call, head.headers) },
  stream: { kind: 'decode', framing: 'aws-eventstream', open: createCompleteDecoder },
};
