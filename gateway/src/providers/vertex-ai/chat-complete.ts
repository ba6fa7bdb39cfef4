import type { Call, Endpoint } from '../contract.ts';
import { type ChatFamily, FAMILIES } from './families/index.ts';
import { modelOf, readModel } from './model.ts';

const familyOf = (call: Call): ChatFamily => FAMILIES[readModel(call.model).family];

export const chatComplete: Endpoint = {
  method: 'POST',
  path: (call) => familyOf(call).path(call, modelOf(call).name),
  streamPath: (call) => familyOf(call).streamPath(call, modelOf(call).name),
  request: {
    kind: 'write',
    takes: (call) => familyOf(call).takes(modelOf(call).name),
    write: (params, call) => familyOf(call).write(params, call, modelOf(call).name),
  },
  answer: { kind: 'read', read: (body, call) => familyOf(call).read(body, call) },
  stream: {
    kind: 'decode',
    framing: (call) => familyOf(call).framing ?? 'sse',
    open: (call) => familyOf(call).open(call),
  },
};
