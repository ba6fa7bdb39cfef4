/** The headers of a client that go to a provider; docs/behaviour/headers.md. */
import {
  isClientAddressHeader,
  isCredentialHeader,
  isHopByHop,
  isKeyOnlyHeader,
  isMetadataHeader,
  namedByConnection,
} from '../../../lib/header-names.ts';
import type { Caller, ClientRequest } from '../../exchange.ts';
import { holdsGatewayKey, type KeyLookup } from '../../gateway-key.ts';
import { READABLE_ENCODINGS } from '../map/index.ts';

/** Headers of the gateway itself, in either spelling. */
const GATEWAY_HEADER = /^x[_-]gw[_-]/;

export interface HeaderSource {
  readonly request: ClientRequest;
  readonly caller: Caller;
  readonly snapshot: KeyLookup;
}

/** Written anew for the provider's host. */
const PER_HOST: ReadonlySet<string> = new Set(['host', 'expect']);

/**
 * The client's headers for the proxy mode: without those of its connection, the gateway's own, those that carry a
 * credential or a gateway key, and those with the client's address.
 */
export function clientHeaders(source: HeaderSource): Record<string, string> {
  const { request } = source;
  const out: Record<string, string> = {};
  const named = namedByConnection(request.header('connection'));
  for (const [name, value] of request.headers()) {
    if (named.has(name) || isCredentialHeader(name) || isClientAddressHeader(name)) continue;
    if (mayLeave(name, value, source)) out[name] = name === 'accept-encoding' ? readableOnly(value) : value;
  }
  return out;
}

/** `accept-encoding` without encodings that the gateway cannot read. */
const readableOnly = (value: string): string =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => READABLE_ENCODINGS.has(item.split(';', 1)[0]?.trim().toLowerCase() ?? ''))
    .join(', ');

export interface Forwarding {
  readonly names: readonly string[];
  /** Whether credentials may be forwarded: not beside a stored one whose owner ranks above. */
  readonly credentials: boolean;
}

/**
 * The headers that a config or the request asks to forward. Left out are absent ones, those of the connection and of metadata
 * services, the gateway's own, whatever holds a gateway key or should, and credentials where they are not allowed.
 */
export function forwardedHeaders(
  source: HeaderSource,
  { names, credentials }: Forwarding,
): Readonly<Record<string, string>> {
  const { request } = source;
  const out: Record<string, string> = {};
  const named = namedByConnection(request.header('connection'));
  for (const name of names) {
    if (named.has(name) || (!credentials && isCredentialHeader(name))) continue;
    const value = request.header(name);
    if (value !== undefined && mayLeave(name, value, source)) out[name] = value;
  }
  return out;
}

/** Whether the gateway may add a header of the name to a call: none of its connection, its body, its credential or its own. */
export const mayBeAdded = (name: string): boolean =>
  TOKEN.test(name) &&
  (name.startsWith(CLAIMS) || !isCredentialHeader(name)) &&
  !isKeyOnlyHeader(name) &&
  !isTransport(name) &&
  !OF_BODY.test(name);

/** Claims of a token that was checked: they look like a credential by name and are none. */
const CLAIMS = 'x-jwt-';

/** A lower-case name; Source: RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]{1,256}$/;
const OF_BODY = /^(?:content-|accept-encoding$)/;

const isTransport = (name: string): boolean =>
  PER_HOST.has(name) || isHopByHop(name) || isMetadataHeader(name) || GATEWAY_HEADER.test(name);

/** Whether a header may go to a provider at all. */
function mayLeave(name: string, value: string, { caller, snapshot }: HeaderSource): boolean {
  if (isTransport(name)) return false;
  return !isKeyOnlyHeader(name) && !caller.keyHeaders.has(name) && !holdsGatewayKey(value, snapshot);
}
