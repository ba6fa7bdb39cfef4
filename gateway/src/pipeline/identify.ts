/** From the gateway key of a request to its record and workspace; docs/behaviour/requests.md#identification. */
import { hash } from 'node:crypto';
import { SIDECAR_PLACEHOLDER_KEY } from '@gatehouse/crds/snapshot';
import { AppError } from '../errors/index.ts';
import { Secret } from '../lib/secret.ts';
import type { SnapshotView } from '../snapshot/index.ts';
import type { Caller, ClientRequest } from './exchange.ts';
import { isKnownKey } from './gateway-key.ts';

/** Longest key that is looked up, in characters: hashing must stay cheap. */
const MAX_KEY_LENGTH = 4096;
const BEARER = /^Bearer +/i;
/** The prefix of gateway keys: one that reaches a sidecar must not be taken for a provider's key. */
const GATEWAY_KEY = /^gwk_/;

/**
 * The caller of a request. The gateway key is `x-gw-api-key`, else the bearer token, else `x-api-key` (what the Anthropic
 * SDK sends); an `Authorization` that holds no gateway key is the caller's credential for the provider. On a sidecar a
 * request without a gateway key is one of the SidecarProfile. Throws KEY_INVALID or KEY_WITHOUT_WORKSPACE.
 */
export function identify(request: ClientRequest, snapshot: SnapshotView, sidecarProfile?: string): Caller {
  const bearer = bearerOf(request);
  const found = findKey(request, bearer);
  if (sidecarProfile !== undefined && !isGatewayKey(found)) return sidecarCaller(request, snapshot, sidecarProfile);
  if (found === undefined) {
    const detail =
      'Invalid API Key: the request has none; send a gateway key (gwk_...) as x-gw-api-key, or as the bearer token of authorization';
    throw new AppError('KEY_INVALID', { detail, param: 'x-gw-api-key' });
  }
  const keyHash = hash('sha256', found.secret.length > MAX_KEY_LENGTH ? '' : found.secret);
  const key = snapshot.key(keyHash);
  if (key === undefined) throw new AppError('KEY_INVALID', { param: found.header });
  const name = key.workspace ?? snapshot.organisation.defaultWorkspace;
  const workspace = name === undefined ? undefined : snapshot.workspace(name);
  if (workspace === undefined) throw new AppError('KEY_WITHOUT_WORKSPACE');
  const isKey = (text: string | undefined): boolean =>
    text !== undefined && (text === found.secret || isKnownKey(text, snapshot));
  const keyHeaders = new Set([found.header]);
  if (isKey(bearer)) keyHeaders.add('authorization');
  if (isKey(request.header('x-api-key')?.trim())) keyHeaders.add('x-api-key');
  return {
    key,
    keyHash,
    keyHeaders,
    workspace,
    credential: keyHeaders.has('authorization') ? undefined : toSecret(bearer),
  };
}

const isGatewayKey = (found: FoundKey | undefined): boolean =>
  found !== undefined &&
  found.secret !== SIDECAR_PLACEHOLDER_KEY &&
  (found.header === 'x-gw-api-key' || GATEWAY_KEY.test(found.secret));

/** The application behind a sidecar: it has no key, or a placeholder where its SDK insists on one. */
function sidecarCaller(request: ClientRequest, snapshot: SnapshotView, profile: string): Caller {
  const record = snapshot.sidecar(profile);
  const workspace = record === undefined ? undefined : snapshot.workspace(record.workspace);
  if (record === undefined || workspace === undefined) {
    throw new AppError('KEY_WITHOUT_WORKSPACE', { detail: `The SidecarProfile ${profile} is not served` });
  }
  const values = [
    ['x-gw-api-key', request.header('x-gw-api-key')?.trim()],
    ['authorization', bearerOf(request)],
    ['x-api-key', request.header('x-api-key')?.trim()],
  ] as const;
  const keyHeaders = new Set(values.filter(([, value]) => value === SIDECAR_PLACEHOLDER_KEY).map(([name]) => name));
  const credential = keyHeaders.has('authorization') ? undefined : toSecret(bearerOf(request));
  return { key: record.key, keyHash: hash('sha256', record.key.id), keyHeaders, workspace, credential };
}

interface FoundKey {
  readonly secret: string;
  readonly header: string;
}

function findKey(request: ClientRequest, bearer: string | undefined): FoundKey | undefined {
  const own = request.header('x-gw-api-key')?.trim();
  if (own !== undefined && own !== '') return { secret: own, header: 'x-gw-api-key' };
  if (bearer !== undefined) return { secret: bearer, header: 'authorization' };
  const vendor = request.header('x-api-key')?.trim();
  return vendor === undefined || vendor === '' ? undefined : { secret: vendor, header: 'x-api-key' };
}

const toSecret = (text: string | undefined): Secret | undefined => (text === undefined ? undefined : new Secret(text));

/** The value of `Authorization`, without `Bearer`. */
function bearerOf(request: ClientRequest): string | undefined {
  const value = request.header('authorization')?.replace(BEARER, '').trim();
  return value === '' ? undefined : value;
}
