/** Requests of a procedure, and their answers. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { andThen, type Deferred } from '../../lib/deferred.ts';
import { type JsonLimits, readJson } from '../../lib/json/index.ts';
import type { StreamedBody } from '../../wire/contract.ts';
import type { Call, JsonObject, OutgoingRequest, ProcedureRequest, WholeAnswer } from '../contract.ts';
import { invalidAnswer } from './error-fields.ts';
import { authorize, type CallOptions } from './request.ts';
import type { PreparedTarget } from './target.ts';

/** One request with its credential. Throws what the authorizer throws. */
export function buildStep(
  target: PreparedTarget,
  call: Call,
  step: ProcedureRequest,
  options: CallOptions,
): Deferred<OutgoingRequest> {
  const { origin, pathname, search } = new URL(step.url);
  const { auth } = step;
  const { body, streamed } = bodyOf(step.body);
  const request = {
    method: step.method,
    origin,
    path: pathname + search,
    headers: { ...step.headers },
    body,
    streamed,
  };
  if (auth === undefined) {
    request.headers = { ...target.bareHeaders, ...request.headers };
    return authorize(target, call, request, options);
  }
  if (auth === 'none') return request;
  const { services, signal } = options;
  return andThen(auth.apply(request, call, { services, signal, customHost: target.customHost }), () => request);
}

function bodyOf(body: Buffer | StreamedBody | undefined): Pick<OutgoingRequest, 'body' | 'streamed'> {
  return body === undefined || Buffer.isBuffer(body) ? { body } : { body: undefined, streamed: body };
}

/** The object of a good answer. Throws UPSTREAM_INVALID_RESPONSE. */
export function jsonOfStep({ bytes }: Pick<WholeAnswer, 'bytes'>, { provider }: Pick<Call, 'provider'>): JsonObject {
  const read = readObject(bytes);
  if (read !== undefined) return read;
  throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider, detail: invalidAnswer(provider, bytes).message });
}

function readObject(bytes: Buffer): JsonObject | undefined {
  const value = parsedLine(bytes);
  return isObject(value) ? value : undefined;
}

/** One line of an answer; undefined: it is no JSON, or beyond the limits. */
export function parsedLine(bytes: Buffer, limits?: JsonLimits): unknown {
  try {
    return readJson(bytes, limits);
  } catch {
    return undefined; // what the parser says quotes the body
  }
}
