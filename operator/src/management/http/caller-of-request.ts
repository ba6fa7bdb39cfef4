/** Who calls: the holder of a key, a person who is signed in, the directory, or nobody. */
import { isObject } from '@gatehouse/crds';
import type { UserRow } from '@gatehouse/crds/records';
import type { RestOperation } from '@gatehouse/crds/rest';
import type { FastifyRequest } from 'fastify';
import { authenticate, type Caller, hasKey, type KeyDirectory } from '../callers/index.ts';
import type { Services } from '../families/index.ts';
import { callerOfPerson, callerOfSession, foreignOrigin } from '../sessions/index.ts';
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

export interface Known {
  readonly keys: KeyDirectory;
  readonly services: Services;
  readonly callRates: CallRates;
  readonly directory: DirectoryTokens;
}

/**
 * A session counts only without a key, so that a browser never adds rights to a call of a program. Throws RestError UNAUTHENTICATED,
 * and FORBIDDEN for a write with a session from a page of another host. `notePerson` is told who is signed in, whatever the person may.
 */
export async function callerOf(
  request: Pick<FastifyRequest, 'headers' | 'query' | 'params' | 'body'>,
  { method, isPublic, protocol }: RestOperation,
  known: Known,
  notePerson: (person: Caller) => void,
): Promise<Caller> {
  if (isPublic) return NOBODY;
  if (protocol === 'scim') return callerOfDirectory(request, known);
  const { store, tenancy, signIn } = known.services;
  const user = await personOf(request, known, () => {
    if (method !== 'GET' && request.headers.origin !== signIn?.origin) throw foreignOrigin();
  });
  if (user === undefined) return callerOfKey(request, known);
  notePerson(callerOfPerson(user));
  return callerOfSession(user, { store, tenancy, named: workspaceIn(request) });
}

/** Of what is for every key and for everybody who is signed in: a person needs no workspace. Throws RestError UNAUTHENTICATED. */
export async function readerOf(request: Pick<FastifyRequest, 'headers'>, known: Known): Promise<Caller> {
  const user = await personOf(request, known);
  return user === undefined ? callerOfKey(request, known) : callerOfPerson(user);
}

/**
 * Who sent what could not be read, as far as that is known, with no right in particular. It counts as a call. Throws RestError
 * TOO_MANY.
 */
export async function senderOf(
  request: Pick<FastifyRequest, 'headers'>,
  { protocol }: RestOperation,
  known: Known,
): Promise<Caller | undefined> {
  const caller = await (protocol === 'scim' ? callerOfDirectory(request, known) : readerOf(request, known)).catch(
    (error: unknown) => {
      if (error instanceof RestError && error.error === 'TOO_MANY') throw error;
      return undefined; // the answer is about the body
    },
  );
  countCall(caller ?? NOBODY, known.callRates);
  return caller;
}

const callerOfKey = ({ headers }: Pick<FastifyRequest, 'headers'>, { keys, services }: Known): Caller =>
  authenticate(headers, keys, services.now());

/** Who is signed in; undefined for a call with a key, or without a session. Throws what `admit` does, before anything is looked for. */
async function personOf(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { services: { signIn }, callRates }: Known,
  admit: () => void = () => undefined,
): Promise<UserRow | undefined> {
  const idHash = hasKey(headers) ? undefined : signIn?.sessionIn(headers.cookie);
  if (signIn === undefined || idHash === undefined) return undefined;
  admit();
  // Whoever makes up sessions shares what calls without a key have, before the database is asked.
  if (!signIn.isFresh(idHash)) countCall(NOBODY, callRates);
  const found = await signIn.find(idHash);
  if (found !== undefined) return found.user;
  throw new RestError('UNAUTHENTICATED', { message: 'The session has ended; sign in again' });
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
    [query, 'workspace_slug'],
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
