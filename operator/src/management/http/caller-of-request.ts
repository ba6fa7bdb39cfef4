/** Who calls: the holder of a key, a person who is signed in, the directory, or nobody. */
import { isObject } from '@gatehouse/crds';
import type { RestOperation } from '@gatehouse/crds/rest';
import type { FastifyRequest } from 'fastify';
import { authenticate, type Caller, hasKey, type KeyDirectory } from '../callers/index.ts';
import type { Services } from '../families/index.ts';
import { callerOfSession, foreignOrigin } from '../sessions/index.ts';
import type { CallRates } from './call-rates.ts';
import type { DirectoryTokens } from './directory-token.ts';
import { RestError } from './rest-error.ts';

/** Calls an operation that needs no key; it sees nothing and may nothing. */
export const NOBODY: Caller = {
  keyId: '',
  keyName: '',
  type: 'workspace-user',
  workspace: '',
  user: undefined,
  scopes: new Set(),
  expiresAtMs: Number.POSITIVE_INFINITY,
};

interface Known {
  readonly keys: KeyDirectory;
  readonly services: Services;
  readonly callRates: CallRates;
  readonly directory: DirectoryTokens;
}

/**
 * A session counts only without a key, so that a browser never adds rights to a call of a program. Throws RestError UNAUTHENTICATED,
 * and FORBIDDEN for a write with a session from a page of another host.
 */
export async function callerOf(
  request: Pick<FastifyRequest, 'headers' | 'query' | 'params' | 'body'>,
  { method, isPublic, protocol }: RestOperation,
  { keys, services, callRates, directory }: Known,
): Promise<Caller> {
  if (isPublic) return NOBODY;
  if (protocol === 'scim') return callerOfDirectory(request, { directory, callRates });
  const { signIn, store, tenancy } = services;
  const { cookie, origin } = request.headers;
  const idHash = hasKey(request.headers) ? undefined : signIn?.sessionIn(cookie);
  if (signIn === undefined || idHash === undefined) return authenticate(request.headers, keys, services.now());
  if (method !== 'GET' && origin !== signIn.origin) throw foreignOrigin();
  // Whoever makes up sessions shares what calls without a key have, before the database is asked.
  if (!signIn.isFresh(idHash)) countCall(NOBODY, callRates);
  const found = await signIn.find(idHash);
  if (found === undefined) {
    throw new RestError('UNAUTHENTICATED', { message: 'The session has ended; sign in again' });
  }
  return callerOfSession(found.user, { store, tenancy, named: workspaceIn(request) });
}

async function callerOfDirectory(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { directory, callRates }: Pick<Known, 'directory' | 'callRates'>,
): Promise<Caller> {
  try {
    return await directory.authenticate(headers.authorization);
  } catch (error) {
    countCall(NOBODY, callRates); // the directory itself does not wait for those who guess
    throw error;
  }
}

/** The workspace that a call names, wherever it does. */
function workspaceIn({ query, params, body }: Pick<FastifyRequest, 'query' | 'params' | 'body'>): string | undefined {
  const places: readonly (readonly [unknown, string])[] = [
    [params, 'workspaceId'],
    [query, 'workspace_id'],
    [body, 'workspace_id'],
  ];
  const named = places.map(([place, name]) => (isObject(place) ? place[name] : undefined));
  return named.find((value) => typeof value === 'string' && value !== '') as string | undefined; // as it was just found
}

/** Calls without a key share what one key has. Throws RestError TOO_MANY. */
export function countCall({ keyId, keyName, isSession }: Caller, rates: CallRates): void {
  const retryAfter = rates.take(keyId, performance.now());
  if (retryAfter === undefined) return;
  const caller = isSession ? keyName : `The key ${keyName}`;
  const who = keyName === '' ? 'There are too many calls' : `${caller} makes too many calls`;
  throw new RestError('TOO_MANY', { message: `${who}; try again in ${retryAfter} s`, retryAfter });
}
