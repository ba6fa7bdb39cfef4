/** Who asks: gateway key to key record and workspace; behaviour-lifecycle 1.4. */
import { hash } from 'node:crypto';
import { AppError } from '../errors/index.ts';
import type { SnapshotView } from '../snapshot/index.ts';
import type { Caller, ClientRequest } from './exchange.ts';

/** Longest key that is looked at, in characters: hashing must stay cheap. */
const MAX_KEY_LENGTH = 4096;
const BEARER = /^Bearer +/i;

/**
 * The caller of a request. The gateway key is `x-gw-api-key`, else the bearer token, else `x-api-key` (what the Anthropic
 * SDK sends); what is left of `Authorization` is the provider's credential. Throws KEY_INVALID or KEY_WITHOUT_WORKSPACE.
 */
export function identify(request: ClientRequest, snapshot: SnapshotView): Caller {
  const bearer = bearerOf(request);
  const found = findKey(request, bearer);
  if (found === undefined) {
    throw new AppError('KEY_INVALID', { detail: 'Invalid API Key: send it as x-gw-api-key', param: 'x-gw-api-key' });
  }
  const keyHash = hash('sha256', found.secret.length > MAX_KEY_LENGTH ? '' : found.secret);
  const key = snapshot.key(keyHash);
  if (key === undefined) throw new AppError('KEY_INVALID', { param: found.header });
  const name = key.workspace ?? snapshot.organisation.defaultWorkspace;
  const workspace = name === undefined ? undefined : snapshot.workspace(name);
  if (workspace === undefined) throw new AppError('KEY_WITHOUT_WORKSPACE');
  const keyHeaders = new Set([found.header]);
  if (bearer === found.secret) keyHeaders.add('authorization');
  if (request.header('x-api-key')?.trim() === found.secret) keyHeaders.add('x-api-key');
  return { key, keyHash, keyHeaders, workspace, credential: bearer === found.secret ? undefined : bearer };
}

function findKey(request: ClientRequest, bearer: string | undefined): { secret: string; header: string } | undefined {
  const own = request.header('x-gw-api-key')?.trim();
  if (own !== undefined && own !== '') return { secret: own, header: 'x-gw-api-key' };
  if (bearer !== undefined) return { secret: bearer, header: 'authorization' };
  const vendor = request.header('x-api-key')?.trim();
  return vendor === undefined || vendor === '' ? undefined : { secret: vendor, header: 'x-api-key' };
}

/** The token of `Authorization`; behaviour-lifecycle 1.4 rules 1 and 7. */
function bearerOf(request: ClientRequest): string | undefined {
  const value = request.header('authorization')?.replace(BEARER, '').trim();
  return value === '' ? undefined : value;
}
