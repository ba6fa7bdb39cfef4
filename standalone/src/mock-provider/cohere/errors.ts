import type { Dialect } from '../exchange.ts';
import { type Frame, type Refusal, refuse } from '../reply.ts';
import { createSeed } from '../seed.ts';
import { namedFrame } from '../sse.ts';

export const cohere: Dialect = {
  overloadedStatus: 503,
  errorBody: ({ message }, { path, body }) => ({ id: createSeed(path, body).id(''), message }),
  errorHeaders: (seed) => ({ 'x-debug-trace-id': seed.id('') }),
};

/** A stream has no other event for an error than its last one. */
export function cohereErrorFrame({ message }: Refusal): Frame {
  return namedFrame({ type: 'message-end', delta: { finish_reason: 'ERROR', error: message } });
}

export function refuseInvalid(fault: string): Refusal {
  return refuse(400, `invalid request: ${fault}`);
}
