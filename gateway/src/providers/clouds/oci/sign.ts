/** Signature version 1 of Oracle Cloud Infrastructure, after draft-cavage-http-signatures-08. */
import { createHash, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { OutgoingRequest } from '../../contract.ts';

const signWith = promisify<string, Buffer, KeyObject, Buffer>(sign);

export interface Signer {
  /** `TENANCY/USER/FINGERPRINT`. */
  readonly keyId: string;
  readonly key: KeyObject;
}

const OF_EVERY_REQUEST = ['(request-target)', 'date', 'host'] as const;
const OF_A_BODY = ['x-content-sha256', 'content-type', 'content-length'] as const;

/** Methods whose body is signed, the empty one too. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Sets the headers that are signed, and the signature; the length is set by what sends the request. The body must be whole.
 * `date`: RFC 9110, 5.6.7.
 */
export async function signRequest(request: OutgoingRequest, date: string, signer: Signer): Promise<void> {
  const { headers, body = Buffer.alloc(0) } = request;
  headers['date'] = date;
  headers['host'] = new URL(request.origin).host;
  const hasBody = WITH_BODY.has(request.method);
  if (hasBody) {
    headers['content-type'] ??= 'application/json';
    headers['x-content-sha256'] = createHash('sha256').update(body).digest('base64');
  }
  const signed = { ...request, headers: { ...headers, 'content-length': String(body.length) } };
  const names = hasBody ? [...OF_EVERY_REQUEST, ...OF_A_BODY] : OF_EVERY_REQUEST;
  headers['authorization'] = await authorizationOf(signed, names, signer);
}

/** What a signature covers. */
type Signed = Pick<OutgoingRequest, 'method' | 'path' | 'headers'>;

/** The header for a signature over the named headers, in their order. */
export async function authorizationOf(
  request: Signed,
  names: readonly string[],
  { keyId, key }: Signer,
): Promise<string> {
  const bytes = await signWith('RSA-SHA256', Buffer.from(signingString(request, names)), key);
  const members = {
    keyId,
    algorithm: 'rsa-sha256',
    headers: names.join(' '),
    signature: bytes.toString('base64'),
  };
  const list = Object.entries(members).map(([name, value]) => `${name}="${value}"`);
  return `Signature version="1",${list.join(',')}`;
}

/** One line for each name. */
export function signingString({ method, path, headers }: Signed, names: readonly string[]): string {
  const target = `${method.toLowerCase()} ${path}`;
  return names.map((name) => `${name}: ${name === '(request-target)' ? target : (headers[name] ?? '')}`).join('\n');
}
