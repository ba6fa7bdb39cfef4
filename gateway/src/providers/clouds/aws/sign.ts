/** AWS Signature Version 4. The host header is signed as it is sent, with its port. */
import { AppError } from '../../../errors/index.ts';
import type { OutgoingRequest } from '../../contract.ts';
import type { AwsCredentials } from './credentials.ts';
import { Sha256 } from './sha256.ts';

export interface SignOptions {
  readonly credentials: AwsCredentials;
  readonly region: string;
  /** Name of the service in the signature, e.g. `bedrock`. */
  readonly service: string;
  /** Unix time in ms. */
  readonly nowMs: number;
  /** The body is streamed and cannot be hashed first. */
  readonly unsignedPayload?: boolean;
}

/** Headers of a signature; a client's or forwarded value would break it or claim another identity. */
const SIGNATURE_HEADERS = ['authorization', 'x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256'];

/** Signed headers; others may be changed by proxies in between. */
const SIGNED = /^(?:host|range|content-(?:type|md5|encoding|language|disposition)|if-[a-z-]+|x-amzn?-[a-z0-9-]+)$/;

/** Sets the signature headers on the request and normalises its path for signing. */
export async function signRequest(request: OutgoingRequest, options: SignOptions): Promise<void> {
  const { credentials, region, service, nowMs, unsignedPayload = false } = options;
  const { pathname, query } = normalised(request.path);
  request.path = query === '' ? pathname : `${pathname}?${query}`;
  for (const name of SIGNATURE_HEADERS) delete request.headers[name];
  request.headers['host'] = new URL(request.origin).host;
  if (unsignedPayload) request.headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
  const isS3 = service === 's3';
  const { SignatureV4 } = await import('@smithy/signature-v4'); // loaded where a request has to be signed
  const signer = new SignatureV4({
    credentials: {
      accessKeyId: credentials.accessKeyId,
      secretAccessKey: credentials.secretAccessKey.reveal(),
      ...(credentials.sessionToken === undefined ? {} : { sessionToken: credentials.sessionToken.reveal() }),
    },
    region,
    service,
    sha256: Sha256,
    uriEscapePath: !isS3,
    applyChecksum: isS3,
  });
  const signed = await signer.sign(
    {
      method: request.method,
      protocol: '',
      hostname: '',
      path: pathname,
      query: parseQuery(query),
      headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => SIGNED.test(name))),
      body: request.body,
    },
    { signingDate: new Date(nowMs) },
  );
  for (const name of SIGNATURE_HEADERS) {
    const value = signed.headers[name];
    if (value !== undefined) request.headers[name] = value;
  }
}

/**
 * Path segments in RFC 3986 encoding and spaces of the query as `%20`: services normalise what they receive before they
 * verify it, so other encodings of the same path would not verify.
 */
function normalised(path: string): { readonly pathname: string; readonly query: string } {
  const at = path.indexOf('?');
  const pathname = at < 0 ? path : path.slice(0, at);
  const query = at < 0 ? '' : path.slice(at + 1).replaceAll('+', '%20');
  return { pathname: pathname.split('/').map(encodedOnce).join('/'), query };
}

function encodedOnce(segment: string): string {
  const plain = decoded(segment);
  // Decoding must not introduce dot segments.
  return plain === undefined || plain === '.' || plain === '..' ? segment : awsEncode(plain);
}

/** Percent-encodes everything but the unreserved characters of RFC 3986. */
function awsEncode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** More parameters than any service has; the signing library needs quadratic time for them. */
const MAX_PARAMETERS = 500;

/** Values by name; a name may be repeated. */
function parseQuery(query: string): Record<string, string[]> {
  const values = new Map<string, string[]>();
  const pairs = query.split('&', MAX_PARAMETERS + 1).filter((pair) => pair !== '');
  if (pairs.length > MAX_PARAMETERS) throw tooManyParameters();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const name = readable(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? '' : readable(pair.slice(at + 1));
    const list = values.get(name);
    if (list === undefined) values.set(name, [value]);
    else list.push(value);
  }
  return Object.fromEntries(values);
}

const tooManyParameters = (): AppError =>
  new AppError('PARAMETER_INVALID', { detail: `A signed request has at most ${MAX_PARAMETERS} query parameters` });

const readable = (text: string): string => decoded(text) ?? text;

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
