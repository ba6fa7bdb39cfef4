import { createHash } from 'node:crypto';
import { RestError } from '../http/rest-error.ts';
import type { Caller, KeyDirectory } from './caller.ts';

const BEARER = /^Bearer +(\S+)$/i;

interface Headers {
  readonly 'x-gw-api-key'?: string | string[] | undefined;
  readonly authorization?: string | undefined;
}

/** The caller of a request. Throws RestError UNAUTHENTICATED. */
export function authenticate(headers: Headers, keys: KeyDirectory, nowMs: number): Caller {
  const key = keyOf(headers);
  if (key === undefined) {
    throw new RestError('UNAUTHENTICATED', {
      message: 'Send a key of the gateway in x-gw-api-key, or as Authorization: Bearer',
    });
  }
  const caller = keys.find(createHash('sha256').update(key).digest('hex'));
  if (caller === undefined) throw new RestError('UNAUTHENTICATED', { message: 'The key is not known' });
  if (caller.expiresAtMs <= nowMs) throw new RestError('UNAUTHENTICATED', { message: 'The key has expired' });
  return caller;
}

/** Whether a request brings a key; a session counts only where it does not. */
export const hasKey = (headers: Headers): boolean => keyOf(headers) !== undefined;

function keyOf({ 'x-gw-api-key': own, authorization }: Headers): string | undefined {
  if (typeof own === 'string' && own.trim() !== '') return own.trim();
  return authorization === undefined ? undefined : BEARER.exec(authorization.trim())?.[1];
}
