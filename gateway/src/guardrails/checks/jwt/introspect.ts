/** Whether the issuer says that a token is good (RFC 7662). */
import { hash } from 'node:crypto';
import { isObject } from '@gatehouse/crds';
import { LRUCache } from 'lru-cache';
import { readToken } from '../../../lib/jwt/index.ts';
import type { CheckCredential } from '../../contract.ts';
import { CheckFault, callService } from '../../outbound/index.ts';
import type { Checked, TokenSource } from './verify.ts';

export interface IntrospectOptions {
  readonly introspectEndpoint: string;
  readonly introspectContentType: 'application/x-www-form-urlencoded' | 'application/json';
  readonly introspectCacheMaxAge?: number | undefined;
  readonly clockTolerance: number;
}

type Claims = Readonly<Record<string, unknown>>;

interface Kept {
  readonly claims: Claims;
  readonly expiresAtMs: number;
}

/** Longest answer in bytes. */
const MAX_BYTES = 64 * 1024;
/** Good answers of one check that are kept, in characters of their JSON. */
const MAX_KEPT = 256 * 1024;
/** Statuses below 500 by which an endpoint says that it could not answer. */
const NOT_ANSWERED: ReadonlySet<number> = new Set([408, 429]);

/** Asks with the credential of the check, where it has one, as HTTP Basic. Rejects with CheckFault. */
export function compileIntrospection(options: IntrospectOptions, credential: CheckCredential): TokenSource {
  const { introspectEndpoint: url, introspectContentType: type, introspectCacheMaxAge: maxAge = 0 } = options;
  const toleranceMs = options.clockTolerance * 1000;
  const kept = new LRUCache<string, Kept>({ maxSize: MAX_KEPT });
  const headers = { 'content-type': type, accept: 'application/json', ...basic(credential) };

  const ask: (...args: Parameters<TokenSource>) => Promise<Claims | undefined> = async (token, { subject, tools }) => {
    const body = type === 'application/json' ? { token } : new URLSearchParams({ token }).toString();
    try {
      const { json } = await callService({ url, headers, body, maxBytes: MAX_BYTES }, { subject, tools });
      if (!isObject(json)) throw new CheckFault('ParseError', 'introspectEndpoint gave an answer that is no object');
      return isActive(json) ? json : undefined;
    } catch (error) {
      if (error instanceof CheckFault && isRefusal(error.status)) return undefined;
      throw error;
    }
  };

  return async (token, request) => {
    const now = request.tools.now();
    const key = hash('sha256', token, 'base64');
    const known = kept.get(key);
    const claims = known !== undefined && now < known.expiresAtMs ? known.claims : await ask(token, request);
    if (claims === undefined) return { good: false, why: 'The issuer does not accept the token' };
    const problem = timeProblem(claims, now, toleranceMs);
    if (problem !== undefined) return { good: false, why: problem };
    if (maxAge > 0 && known?.claims !== claims) {
      const end = typeof claims['exp'] === 'number' ? claims['exp'] * 1000 + toleranceMs : Number.POSITIVE_INFINITY;
      kept.set(
        key,
        { claims, expiresAtMs: Math.min(end, now + maxAge * 1000) },
        { size: JSON.stringify(claims).length + 256 },
      );
    }
    return { good: true, header: readToken(token)?.header ?? {}, claims } satisfies Checked;
  };
}

/** What is no answer of RFC 7662 is good where it says so (`valid`), or names who holds the token. */
function isActive({ active, valid, sub }: Claims): boolean {
  if (active !== undefined) return active === true;
  return valid === true || (valid === undefined && sub !== undefined && sub !== null);
}

/** Some endpoints answer 401 for a bad token, so every doubt is against it. */
const isRefusal = (status = 0): boolean => status >= 400 && status < 500 && !NOT_ANSWERED.has(status);

function timeProblem({ exp, nbf }: Claims, nowMs: number, toleranceMs: number): string | undefined {
  if (exp !== undefined && !(typeof exp === 'number' && nowMs < exp * 1000 + toleranceMs))
    return 'The token has expired';
  if (nbf !== undefined && !(typeof nbf === 'number' && nowMs >= nbf * 1000 - toleranceMs)) {
    return 'The token is not valid yet';
  }
  return undefined;
}

/** Name and secret are form-encoded first (RFC 6749, section 2.3.1). */
function basic(credential: CheckCredential): Record<string, string> {
  const secret = credential.get('clientSecret');
  const id = credential.get('clientId');
  if (id === undefined || secret === undefined) return {};
  const pair = [id, secret].map((value) => encodeURIComponent(value.reveal())).join(':');
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
