import { AppError } from '../../errors/index.ts';
import { takesAll } from '../../wire/params/params.ts';
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

type Count = NonNullable<ChatFamily['count']>;

/** Throws AppError OPERATION_UNSUPPORTED for a family that is not counted, which `supports` says before. */
function countOf(call: Call): Count {
  const { count } = familyOf(call);
  if (count !== undefined) return count;
  throw new AppError('OPERATION_UNSUPPORTED', { provider: call.provider });
}

export const countTokens: Endpoint = {
  method: 'POST',
  path: (call) => countOf(call).path(call, modelOf(call).name),
  supports: (call) => familyOf(call).count !== undefined,
  request: {
    kind: 'write',
    takes: () => takesAll, // what is left out does not change the count
    write: (params, call) => countOf(call).write(params, call, modelOf(call).name),
  },
  answer: { kind: 'read', read: (body, call) => countOf(call).read(body) },
};
