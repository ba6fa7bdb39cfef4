/** Classes of headers by their names, which are lower-case; docs/behaviour/headers.md. */
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';

/** Headers of one connection (RFC 9110 section 7.6.1), and those that frame its messages. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'content-length', 'http2-settings'],
]);
const PROXY_PREFIX = 'proxy-';

export const isHopByHop = (name: string): boolean => HOP_BY_HOP.has(name) || name.startsWith(PROXY_PREFIX);

const NONE: ReadonlySet<string> = new Set();
const KEEP_ALIVE: ReadonlySet<string> = new Set(['keep-alive']);

/** The headers that a `Connection` header names; they are hop-by-hop too. */
export function namedByConnection(connection: string | readonly string[] | undefined): ReadonlySet<string> {
  if (connection === undefined) return NONE;
  if (connection === 'keep-alive') return KEEP_ALIVE;
  const text = typeof connection === 'string' ? connection : connection.join();
  return new Set(text.split(',').map((name) => name.trim().toLowerCase()));
}

/** The headers that may carry a gateway key, in the order in which they are looked at; docs/behaviour/requests.md#identification. */
export const KEY_HEADERS = ['x-gw-api-key', 'authorization', 'x-api-key', 'api-key', 'x-goog-api-key'] as const;

export type KeyHeader = (typeof KEY_HEADERS)[number];

/** Headers that carry a gateway key or nothing: whatever else a client sends there is dropped. */
export const KEY_ONLY_HEADERS = ['api-key', 'x-goog-api-key'] as const satisfies readonly KeyHeader[];
const KEY_ONLY: ReadonlySet<string> = new Set(KEY_ONLY_HEADERS);

export const isKeyOnlyHeader = (name: string): boolean => KEY_ONLY.has(withDashes(name));

const CREDENTIALS: ReadonlySet<string> = new Set([
  'cookie',
  'cookie2',
  'set-cookie',
  'set-cookie2',
  ...[...PROVIDER_CATALOGUE.values()].flatMap(({ fields }) =>
    fields.flatMap(({ header, kind }) => (kind === 'secret' && header !== undefined ? [header] : [])),
  ),
]);
const CREDENTIAL_WORDS =
  /(?:^|-)(?:api-?key|access-key|subscription-key|private-key|virtual-key|auth|authorization|authentication|bearer|secret|password|passphrase|credentials?|token|jwt|assertion|saml|oidc|session|csrf|xsrf|cert|certificate)(?:-|$)/;
/** Headers that another gateway on the way would act on or bill. */
const CREDENTIAL_PREFIXES = ['x-portkey-'];

/** Many servers treat underscores and dashes in names alike. */
const withDashes = (name: string): string => name.replaceAll('_', '-');

/** The names that were asked for first: nearly all headers are a few. */
const known = new Map<string, boolean>();
const MAX_KNOWN = 1_000;
const MAX_KNOWN_LENGTH = 64;

/** Whether a header of that name carries a credential of any vendor. */
export function isCredentialHeader(given: string): boolean {
  const found = known.get(given);
  if (found !== undefined) return found;
  const name = withDashes(given);
  const is = CREDENTIALS.has(name) || CREDENTIAL_WORDS.test(name) || startsWithAny(name, CREDENTIAL_PREFIXES);
  if (known.size < MAX_KNOWN && given.length <= MAX_KNOWN_LENGTH) known.set(given, is);
  return is;
}

const startsWithAny = (name: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => name.startsWith(prefix));

/** Headers that metadata services of clouds require; those services issue the identity of the machine. */
const METADATA: ReadonlySet<string> = new Set([
  'metadata',
  'metadata-flavor',
  'metadata-token',
  'metadata-token-expiry-seconds',
  'x-aws-ec2-metadata-token',
  'x-aws-ec2-metadata-token-ttl-seconds',
  'x-google-metadata-request',
  'x-identity-header',
]);

export const isMetadataHeader = (name: string): boolean => METADATA.has(withDashes(name));

/** Headers that disclose the client's address and path. */
const CLIENT_ADDRESS: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'true-client-ip', 'cf-connecting-ip'],
  ...['fastly-client-ip', 'x-envoy-external-address', 'forwarded-for', 'x-forwarded', 'client-ip', 'x-remote-ip'],
  ...['remote-addr', 'x-remote-addr', 'x-originating-ip', 'x-proxyuser-ip', 'wl-proxy-client-ip'],
]);
const ORIGIN_PREFIXES = ['x-forwarded-', 'x-original-'];

export function isClientAddressHeader(given: string): boolean {
  const name = withDashes(given);
  return CLIENT_ADDRESS.has(name) || startsWithAny(name, ORIGIN_PREFIXES);
}

/** Headers that change the method, path, host or user of a call after it was checked. */
const REWRITES: ReadonlySet<string> = new Set([
  ...[
    'x-http-method-override',
    'x-http-method',
    'x-method-override',
    'x-rewrite-url',
    'x-rewrite-uri',
    'x-original-url',
  ],
  ...['x-original-uri', 'x-original-path', 'x-original-host', 'x-original-method', 'x-envoy-original-path'],
  ...[
    'x-envoy-original-host',
    'x-envoy-original-dst-host',
    'x-forwarded-host',
    'x-forwarded-server',
    'x-forwarded-path',
  ],
  ...['x-forwarded-prefix', 'x-forwarded-uri', 'x-forwarded-method', 'x-forwarded-user', 'x-forwarded-email'],
  ...['x-forwarded-groups', 'x-forwarded-preferred-username', 'x-host', 'x-http-host-override', 'remote-user'],
  ...['x-remote-user', 'x-remote-group', 'x-amz-target'],
]);
const REWRITE_PREFIXES = [
  ...['impersonate-', 'x-impersonate-', 'x-remote-extra-', 'x-goog-authenticated-user-', 'x-ms-client-principal'],
  ...['x-auth-request-', 'x-consumer-', 'x-amzn-oidc-'],
];
/** Words in names of headers by which vendors select the account that pays or the resources that are reached. */
const ROUTING_WORDS =
  /(?:^|-)(?:bill-to|billing|organi[sz]ation|org-id|tenant|project|workspace-id|account-id|customer-id|quota-user|user-project|target-(?:url|host|uri))(?:-|$)/;

/** Whether a header of that name may, for any vendor, select what a credential reaches or who pays. */
export function isRoutingHeader(given: string): boolean {
  const name = withDashes(given);
  return REWRITES.has(name) || startsWithAny(name, REWRITE_PREFIXES) || ROUTING_WORDS.test(name);
}
