import type { Dialect } from '../exchange.ts';
import { type Frame, type Refusal, refuse } from '../reply.ts';
import { exceptionFrame } from './event-stream.ts';

const TYPES: ReadonlyMap<number, string> = new Map([
  [401, 'UnrecognizedClientException'],
  [402, 'ServiceQuotaExceededException'],
  [403, 'AccessDeniedException'],
  [404, 'ResourceNotFoundException'],
  [408, 'ModelTimeoutException'],
  [424, 'ModelErrorException'],
  [429, 'ThrottlingException'],
  [503, 'ServiceUnavailableException'],
]);

function typeOf({ status, code }: Refusal): string {
  if (code === 'unknown_url') return 'UnknownOperationException';
  return TYPES.get(status) ?? (status >= 500 ? 'InternalServerException' : 'ValidationException');
}

export const bedrock: Dialect = {
  overloadedStatus: 503,
  errorBody: ({ message }) => ({ message }),
  errorHeaders: (seed, refusal) => ({ 'x-amzn-requestid': seed.id(''), 'x-amzn-errortype': typeOf(refusal) }),
};

/** Exceptions of streams have the names of errors, in lower camel case. */
export function bedrockErrorFrame(refusal: Refusal): Frame {
  const type = typeOf(refusal);
  return exceptionFrame(`${type.charAt(0).toLowerCase()}${type.slice(1)}`, { message: refusal.message });
}

export function refuseInvalid(fault: string): Refusal {
  return refuse(400, `1 validation error detected: ${fault}`);
}
