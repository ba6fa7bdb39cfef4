/** Refuses calls of the management API that cannot succeed before they leave the gateway; the other side checks every key itself. */
import type { IncomingHttpHeaders } from 'node:http';
import {
  isScimPath,
  MAX_REST_BODY_BYTES,
  REST_ERRORS,
  type RestErrorName,
  restErrorBody,
  SCIM_TYPE,
  SESSION_COOKIES,
  scimErrorBody,
  scopesOf,
} from '@gatehouse/crds/rest';
import { findKey, type KeyLookup } from '../../pipeline/index.ts';

/** An answer in the form of the management API. */
export interface Refusal {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const BEARER = /^Bearer +(\S+)$/i;
/** Longest key that is looked up, in characters. */
const MAX_KEY_LENGTH = 4_096;

export interface GatedRequest {
  readonly method: string;
  /** Below the root, with its query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** Undefined for a call that is passed on: with a known key that has a scope of the operation, where the operation is known. */
export function refusalOf(request: GatedRequest, snapshot: KeyLookup, nowMs: number): Refusal | undefined {
  const [path = ''] = request.url.split('?', 1);
  const scopes = scopesOf(request.method, path.replace(/^\/v1/, ''));
  if (scopes?.length === 0) return undefined;
  const text = keyIn(request.headers);
  if (text === undefined) return hasSession(request.headers) ? undefined : refuse('UNAUTHENTICATED', NO_KEY);
  const key = text.length > MAX_KEY_LENGTH ? undefined : findKey(text, snapshot)?.record;
  if (key === undefined) return refuse('UNAUTHENTICATED', 'The key is not known');
  if (key.expiresAtMs <= nowMs) return refuse('UNAUTHENTICATED', 'The key has expired');
  if (scopes === undefined || key.scopes.has('*') || scopes.some((scope) => key.scopes.has(scope))) return undefined;
  return refuse('FORBIDDEN', `The key ${key.name} needs the scope ${scopes.join(' or ')}`);
}

/** As the management API says it; directories get the form of their protocol. */
export function refusalOfBody({ url }: Pick<GatedRequest, 'url'>): Refusal {
  const message = `A body has at most ${MAX_REST_BODY_BYTES} bytes`;
  const [path = ''] = url.split('?', 1);
  if (!isScimPath(path)) return refuse('TOO_LARGE', message);
  const body = JSON.stringify(scimErrorBody('TOO_LARGE', { message }));
  return { status: REST_ERRORS.TOO_LARGE.status, contentType: SCIM_TYPE, body };
}

const JSON_TYPE = 'application/json; charset=utf-8';
const NO_KEY = 'Send a key of the gateway in x-gw-api-key, or as Authorization: Bearer';

const SESSIONS: readonly string[] = Object.values(SESSION_COOKIES);

/** Sessions of people are known to the management API alone. */
const hasSession = ({ cookie = '' }: IncomingHttpHeaders): boolean =>
  cookie.split(';').some((pair) => SESSIONS.includes(pair.split('=', 1)[0]?.trim() ?? ''));

/** As the management API reads it. */
function keyIn({ 'x-gw-api-key': own, authorization }: IncomingHttpHeaders): string | undefined {
  if (typeof own === 'string' && own.trim() !== '') return own.trim();
  return authorization === undefined ? undefined : BEARER.exec(authorization.trim())?.[1];
}

function refuse(error: RestErrorName, message: string): Refusal {
  const { status } = REST_ERRORS[error];
  return { status, contentType: JSON_TYPE, body: JSON.stringify(restErrorBody(error, { message })) };
}
