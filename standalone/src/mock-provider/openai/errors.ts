import type { Dialect } from '../exchange.ts';
import { type Frame, type Refusal, refuse } from '../reply.ts';
import { dataFrame } from '../sse.ts';
import { faultOfName } from '../store.ts';

const TYPES: ReadonlyMap<number, readonly [type: string, code: string | null]> = new Map([
  [401, ['invalid_request_error', 'invalid_api_key']],
  [403, ['permission_error', null]],
  [404, ['invalid_request_error', 'not_found']],
  [429, ['rate_limit_error', 'rate_limit_exceeded']],
]);

function errorOf({ status, message, param, code }: Refusal): unknown {
  const [type, usualCode] = TYPES.get(status) ?? [status >= 500 ? 'server_error' : 'invalid_request_error', null];
  return { message, type, param: param ?? null, code: code ?? usualCode };
}

export const openai: Dialect = {
  overloadedStatus: 503,
  errorBody: (refusal) => ({ error: errorOf(refusal) }),
  errorHeaders: (seed) => ({ 'x-request-id': seed.id('req_') }),
};

export function openaiErrorFrame(refusal: Refusal): Frame {
  return dataFrame({ error: errorOf(refusal) });
}

export function refuseField(param: string, message: string): Refusal {
  return refuse(400, message, { param });
}

/** Refuses the first field whose name is too long. */
export function refuseLongName(names: Readonly<Record<string, string>>): Refusal | undefined {
  for (const [field, name] of Object.entries(names)) {
    const fault = faultOfName(name);
    if (fault !== undefined) return refuseField(field, `${field}: ${fault}`);
  }
  return undefined;
}
