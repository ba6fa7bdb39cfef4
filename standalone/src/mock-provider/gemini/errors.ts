import type { Dialect } from '../exchange.ts';
import type { Refusal } from '../reply.ts';
import { isSse } from './framing.ts';

// google.rpc.Code names for HTTP statuses, as Google's API design guide maps them.
const STATUSES: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [409, 'ABORTED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [500, 'INTERNAL'],
  [501, 'UNIMPLEMENTED'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
]);

export function toError({ status, message }: Refusal) {
  return { error: { code: status, message, status: STATUSES.get(status) ?? 'UNKNOWN' } };
}

export const gemini: Dialect = {
  overloadedStatus: 503,
  errorBody(refusal, { path, search }) {
    const isArrayStream = path.endsWith(':streamGenerateContent') && !isSse(new URLSearchParams(search));
    return isArrayStream ? [toError(refusal)] : toError(refusal);
  },
  errorHeaders: () => ({}),
};
