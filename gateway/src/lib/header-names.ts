/** What the name of a header says about its value. Names are lower-case. */
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';

/** Headers of one connection (RFC 9110 section 7.6.1), and those that frame its messages. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'content-length', 'http2-settings'],
]);
const PROXY_PREFIX = 'proxy-';

export const isHopByHop = (name: string): boolean => HOP_BY_HOP.has(name) || name.startsWith(PROXY_PREFIX);

const NONE: ReadonlySet<string> = new Set();

/** The headers that a `Connection` header names: they end with it. */
export function namedByConnection(connection: string | readonly string[] | undefined): ReadonlySet<string> {
  if (connection === undefined) return NONE;
  const text = typeof connection === 'string' ? connection : connection.join();
  return new Set(text.split(',').map((name) => name.trim().toLowerCase()));
}

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
  /(?:^|-)(?:api-?key|access-key|subscription-key|private-key|auth|authorization|authentication|secret|password|passphrase|credentials?|token)(?:-|$)/;

/** Whether a header of that name carries a credential, of whatever vendor. */
export const isCredentialHeader = (name: string): boolean => CREDENTIALS.has(name) || CREDENTIAL_WORDS.test(name);

/** They open the metadata services of clouds, where the identity of the machine is handed out. */
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

export const isMetadataHeader = (name: string): boolean => METADATA.has(name);

/** They tell where the client is, and how its request came. */
const ORIGINS: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'true-client-ip', 'cf-connecting-ip'],
  ...['fastly-client-ip', 'x-envoy-external-address'],
]);
const ORIGIN_PREFIXES = ['x-forwarded-', 'x-original-'];

export const isOriginHeader = (name: string): boolean =>
  ORIGINS.has(name) || ORIGIN_PREFIXES.some((prefix) => name.startsWith(prefix));
