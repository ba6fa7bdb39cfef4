/**
 * Calls to hosts that resources name: to allowed addresses only, whatever a name resolves to; redirects are not followed, and time and
 * size of an answer are bounded. See docs/behaviour/secret-references.md.
 */
import { lookup as dnsLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { err, ok, type Result } from '@gatehouse/crds';
import { checkBaseUrl, destinationOf, isLoopback, isMetadata, isReserved, parseAddress } from '@gatehouse/crds/hosts';
import { Agent } from 'undici';

/** `public`: public addresses over TLS. `cluster`: also private ones and plain HTTP. `machine`: also those of this machine. */
export type HttpReach = 'public' | 'cluster' | 'machine';

/** Why there is no answer. */
export type HttpProblem = 'HostRefused' | 'TimedOut' | 'TooLarge' | 'Unreachable';

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** `identity`: an address that the platform has given for the own identity; it is not checked. */
  readonly reach: HttpReach | 'identity';
  /** PEM */
  readonly caCertificate?: string | undefined;
  /** Whether what has come is enough; the rest of the answer is then not read. */
  readonly until?: ((text: string) => boolean) | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Never rejects. */
export type Http = (call: HttpCall, signal: AbortSignal) => Promise<Result<HttpAnswer, HttpProblem>>;

export interface HttpOptions {
  /** Namespaces that contain only the installation itself. */
  readonly ownNamespaces: readonly string[];
  /** For one call, connecting included, in ms. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** Where connections for an origin really go; the host header stays. */
  readonly originOf?: ((origin: string) => string) | undefined;
}

const TIMEOUT_MS = 10_000;
/** Above the largest secret of any manager, which is one of Vault with 512 KiB. */
const MAX_ANSWER_BYTES = 1024 * 1024;

export function createHttp(options: HttpOptions): Http {
  const { timeoutMs = TIMEOUT_MS } = options;
  return async (call, signal) => {
    if (!isNameAllowed(call, options)) return err('HostRefused');
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await send(call, options, AbortSignal.any([signal, timeout]));
    } catch (error) {
      return err(timeout.aborted ? 'TimedOut' : problemOf(error));
    }
  };
}

function isNameAllowed({ url, reach }: HttpCall, { ownNamespaces }: HttpOptions): boolean {
  if (reach === 'identity') return true;
  const checked = checkBaseUrl(url, ownNamespaces);
  if (!checked.ok) return false;
  if (checked.value.protocol !== 'https:' && reach === 'public') return false;
  const { host } = destinationOf(checked.value);
  return (host !== 'localhost' || reach === 'machine') && isAddressAllowed(host, reach);
}

/** Of a name that is no address: true. */
function isAddressAllowed(text: string, reach: HttpCall['reach']): boolean {
  const address = parseAddress(text);
  if (address === undefined || reach === 'identity') return true;
  if (isMetadata(address)) return false;
  if (reach === 'machine') return true;
  return !isLoopback(address) && (reach === 'cluster' || !isReserved(address));
}

/** A connection of its own for each call: calls are rare, and each has its own rules. */
async function send(
  { method, url, headers = {}, body, reach, caCertificate, until }: HttpCall,
  { timeoutMs = TIMEOUT_MS, maxBytes = MAX_ANSWER_BYTES, originOf = (origin) => origin }: HttpOptions,
  signal: AbortSignal,
): Promise<Result<HttpAnswer, HttpProblem>> {
  const { origin, host, pathname, search } = new URL(url);
  const agent = new Agent({
    connect: {
      timeout: timeoutMs,
      lookup: guardedLookup(reach),
      ...(caCertificate === undefined ? {} : { ca: caCertificate }),
    },
  });
  try {
    const answer = await agent.request({
      ...{ origin: originOf(origin), path: `${pathname}${search}`, method, signal },
      headers: { 'accept-encoding': 'identity', ...headers, host },
      ...(body === undefined ? {} : { body }),
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer.body) {
      size += chunk.length;
      if (size > maxBytes) return err('TooLarge');
      chunks.push(chunk);
      if (until?.(textOf(chunks)) === true) break;
    }
    return ok({ status: answer.statusCode, text: textOf(chunks), headers: answer.headers });
  } finally {
    await agent.destroy();
  }
}

const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8');

class RefusedAddress extends Error {}

/** Refuses a name of which any address is refused. */
const guardedLookup =
  (reach: HttpCall['reach']): LookupFunction =>
  (hostname, options, callback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '');
      const [first] = addresses;
      if (first === undefined || addresses.some(({ address }) => !isAddressAllowed(address, reach)))
        return callback(new RefusedAddress(), '');
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };

function problemOf(error: unknown): HttpProblem {
  return error instanceof RefusedAddress ? 'HostRefused' : 'Unreachable';
}
