import type { Dialect } from '../exchange.ts';
import type { Frame, Refusal } from '../reply.ts';
import { namedFrame } from '../sse.ts';

const TYPES: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

function toError({ status, message }: Refusal) {
  const type = TYPES.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type: 'error', error: { type, message } };
}

export const anthropic: Dialect = {
  overloadedStatus: 529,
  errorBody: (refusal) => toError(refusal),
  errorHeaders: (seed) => ({ 'request-id': seed.id('req_') }),
};

export function anthropicErrorFrame(refusal: Refusal): Frame {
  return namedFrame(toError(refusal));
}
