/** From the gateway key or token of a request to its record and workspace; docs/behaviour/requests.md#identification. */
import { hash } from 'node:crypto';
import { SIDECAR_PLACEHOLDER_KEY } from '@gatehouse/crds/snapshot';
import { AppError } from '../errors/index.ts';
import { isOwnToken, looksLikeToken, type TokenCheck, type TokenIdentity } from '../identity/index.ts';
import { KEY_HEADERS, KEY_ONLY_HEADERS, type KeyHeader } from '../lib/header-names.ts';
import { Secret } from '../lib/secret.ts';
import type { SnapshotView } from '../snapshot/index.ts';
import type { Caller, ClientRequest } from './exchange.ts';
import { findKey } from './gateway-key.ts';

/** Longest key that is looked up, in characters: hashing must stay cheap. */
const MAX_KEY_LENGTH = 4096;
const BEARER = /^Bearer +/i;
/** The prefix of gateway keys: one that reaches a sidecar must not be taken for a provider's key. */
const GATEWAY_KEY = /^gwk_/;

export interface IdentifyPorts {
  /** Absent: tokens of issuers are no keys. */
  readonly tokens?: TokenCheck | undefined;
  /** The SidecarProfile of requests without a gateway key; undefined: they are refused. */
  readonly sidecarProfile?: string | undefined;
}

/**
 * The caller of a request. The gateway key or token is `x-gw-api-key`, else the bearer token, else `x-api-key` (what the Anthropic
 * SDK sends), else `api-key` (Azure) or `x-goog-api-key` (Google); an `Authorization` that holds no gateway key is the caller's
 * credential for the provider. On a sidecar a request without a gateway key is one of the SidecarProfile. A promise only for a
 * token whose signature is not known yet. Throws, or rejects with, KEY_INVALID, KEY_EXPIRED, KEY_WITHOUT_WORKSPACE or
 * WORKSPACE_FORBIDDEN.
 */
export function identify(
  request: ClientRequest,
  snapshot: SnapshotView,
  { sidecarProfile, tokens }: IdentifyPorts = {},
): Caller | Promise<Caller> {
  const bearer = bearerOf(request);
  const found = ownKey(request, bearer, snapshot);
  if (sidecarProfile !== undefined && !isGatewayKey(found)) return sidecarCaller(request, snapshot, sidecarProfile);
  if (found === undefined) throw invalidKey('x-gw-api-key', `the request has none; ${SEND_ONE}`);
  const known = findKey(found.secret.length > MAX_KEY_LENGTH ? '' : found.secret, snapshot);
  const beside = { found, bearer, vendor: request.header('x-api-key')?.trim() };
  if (known !== undefined) return toCaller({ key: known.record, keyHash: known.sha256 }, beside, snapshot);
  const holder = looksLikeToken(found.secret) ? tokens?.identify(found.secret, found.header, snapshot) : undefined;
  if (holder === undefined) throw unknownKey(found.header, request, snapshot);
  if (!(holder instanceof Promise)) return toCaller(holder, beside, snapshot);
  return holder.then((identity) => toCaller(identity, beside, snapshot));
}

const NO_KEY_HEADERS: ReadonlySet<string> = new Set();

/** The holder of a key in a workspace, for a request that the gateway makes; undefined: the key is gone, or belongs elsewhere. */
export function callerOfKey(keyId: string, workspaceName: string, snapshot: SnapshotView): Caller | undefined {
  const found = snapshot.keyById(keyId);
  if (found === undefined) return undefined;
  const name = found.record.workspace ?? snapshot.organisation.defaultWorkspace;
  const workspace = name === workspaceName ? snapshot.workspace(name) : undefined;
  if (workspace === undefined) return undefined;
  const { record: key, sha256: keyHash } = found;
  return { key, keyHash, keyHeaders: NO_KEY_HEADERS, workspace, credential: undefined };
}

/** What a request has in the headers that may hold a key. */
interface KeyPlaces {
  readonly found: OwnKey;
  readonly bearer: string | undefined;
  readonly vendor: string | undefined;
}

function toCaller(
  { key, keyHash }: TokenIdentity,
  { found, bearer, vendor }: KeyPlaces,
  snapshot: SnapshotView,
): Caller {
  const name = key.workspace ?? snapshot.organisation.defaultWorkspace;
  const workspace = name === undefined ? undefined : snapshot.workspace(name);
  if (workspace === undefined) throw new AppError('KEY_WITHOUT_WORKSPACE');
  const keyHeaders = keyHeadersOf(found, [bearer, vendor], snapshot);
  const credential = keyHeaders.has('authorization') ? undefined : toSecret(bearer);
  return { key, keyHash, keyHeaders, workspace, credential };
}

const invalidKey = (param: KeyHeader, text: string): AppError =>
  new AppError('KEY_INVALID', { detail: `Invalid API Key: ${text}`, param });

/** The value of `header` is no key; one that another header has is not used in its place, since the first may be a mistake. */
function unknownKey(header: KeyHeader, request: ClientRequest, snapshot: SnapshotView): AppError {
  const what = `the value of ${header} is no key of this gateway`;
  const other = KEY_HEADERS.find((name) => name !== header && hasKey(name, request, snapshot));
  if (other === undefined) return invalidKey(header, `${what}; ${SEND_ONE}`);
  const own = header === 'x-gw-api-key' ? '' : ', or send the key in x-gw-api-key';
  return invalidKey(header, `${what}; ${other} has one, which counts only without ${header}: leave that out${own}`);
}

function hasKey(header: KeyHeader, request: ClientRequest, snapshot: SnapshotView): boolean {
  const value = header === 'authorization' ? bearerOf(request) : request.header(header)?.trim();
  return value !== undefined && value.length <= MAX_KEY_LENGTH && findKey(value, snapshot) !== undefined;
}

const KEY_PLACES = KEY_HEADERS.map((name) => (name === 'authorization' ? 'authorization (bearer token)' : name))
  .join(', ')
  .replace(/, ([^,]*)$/, ' or $1');
const SEND_ONE = `send a gateway key (gwk_...) in ${KEY_PLACES}`;

const ALONE: Readonly<Record<KeyHeader, ReadonlySet<string>>> = {
  'x-gw-api-key': new Set(['x-gw-api-key']),
  authorization: new Set(['authorization']),
  'x-api-key': new Set(['x-api-key']),
  'api-key': new Set(['api-key']),
  'x-goog-api-key': new Set(['x-goog-api-key']),
};

/** The header of the caller's key, and others with a key. */
function keyHeadersOf(
  { secret, header }: OwnKey,
  [bearer, vendor]: readonly [string | undefined, string | undefined],
  snapshot: SnapshotView,
): ReadonlySet<string> {
  const isKey = (text: string): boolean =>
    text === secret || findKey(text, snapshot) !== undefined || (looksLikeToken(text) && isOwnToken(text, snapshot));
  const alsoBearer = header !== 'authorization' && bearer !== undefined && isKey(bearer);
  const alsoVendor = header !== 'x-api-key' && vendor !== undefined && isKey(vendor);
  if (!alsoBearer && !alsoVendor) return ALONE[header];
  return new Set([header, ...(alsoBearer ? ['authorization'] : []), ...(alsoVendor ? ['x-api-key'] : [])]);
}

const isGatewayKey = (found: OwnKey | undefined): boolean =>
  found !== undefined &&
  found.secret !== SIDECAR_PLACEHOLDER_KEY &&
  (found.header === 'x-gw-api-key' || GATEWAY_KEY.test(found.secret));

/** The application behind a sidecar: it has no key, or a placeholder where its SDK insists on one. */
function sidecarCaller(request: ClientRequest, snapshot: SnapshotView, profile: string): Caller {
  refusePage(request);
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

/** Browsers let any page open a WebSocket anywhere, also to a sidecar that asks for no key; they say which page it is. */
function refusePage(request: ClientRequest): void {
  if (request.header('origin') === undefined || request.header('upgrade') === undefined) return;
  throw invalidKey('x-gw-api-key', 'a page of a browser needs a gateway key of its own for a WebSocket');
}

interface OwnKey {
  readonly secret: string;
  readonly header: KeyHeader;
}

function ownKey(request: ClientRequest, bearer: string | undefined, snapshot: SnapshotView): OwnKey | undefined {
  const own = request.header('x-gw-api-key')?.trim();
  if (own !== undefined && own !== '') return { secret: own, header: 'x-gw-api-key' };
  if (bearer !== undefined) return { secret: bearer, header: 'authorization' };
  const vendor = request.header('x-api-key')?.trim();
  return vendor === undefined || vendor === ''
    ? keyOfOtherClients(request, snapshot)
    : { secret: vendor, header: 'x-api-key' };
}

/** What is no gateway key in these headers counts for nothing; where none of them has one, the first is named in the error. */
function keyOfOtherClients(request: ClientRequest, snapshot: SnapshotView): OwnKey | undefined {
  let unknown: OwnKey | undefined;
  for (const header of KEY_ONLY_HEADERS) {
    const secret = request.header(header)?.trim();
    if (secret === undefined || secret === '') continue;
    if (secret.length <= MAX_KEY_LENGTH && findKey(secret, snapshot) !== undefined) return { secret, header };
    unknown ??= { secret, header };
  }
  return unknown;
}

const toSecret = (text: string | undefined): Secret | undefined => (text === undefined ? undefined : new Secret(text));

/** The value of `Authorization`, without `Bearer`. */
function bearerOf(request: ClientRequest): string | undefined {
  const value = request.header('authorization')?.replace(BEARER, '').trim();
  return value === '' ? undefined : value;
}
