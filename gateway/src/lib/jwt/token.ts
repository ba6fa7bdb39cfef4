/** A JSON Web Token as it is written, before its signature is checked (RFC 7519). */
import { isObject } from '@gatehouse/crds';
import { type JsonLimits, readJson } from '../json/index.ts';

/** Longest token in characters: some directories write all groups of a person into it. */
const MAX_TOKEN_LENGTH = 16_384;
const MAX_HEADER_LENGTH = 4096;
const JSON_LIMITS: JsonLimits = { depth: 16, nodes: 5_000, stringBytes: MAX_TOKEN_LENGTH };
const THREE_PARTS = /^([\w-]+)\.([\w-]+)\.[\w-]+$/;
/** Types of tokens for access (RFC 9068) and of those that name none; others, such as logout tokens, are for something else. */
const TYPES: ReadonlySet<unknown> = new Set([undefined, 'JWT', 'jwt', 'at+jwt', 'application/at+jwt']);

export type Claims = Readonly<Record<string, unknown>>;

export interface ReadToken {
  readonly text: string;
  readonly alg: string;
  readonly kid: string;
  /** All of the protected header. */
  readonly header: Claims;
  readonly claims: Claims;
}

/** Whether a text may be a token: what begins with `{"` in base64url. Costs next to nothing. */
export const looksLikeToken = (text: string): boolean => text.startsWith('eyJ') && text.length <= MAX_TOKEN_LENGTH;

/**
 * Header and claims; undefined for anything but a signed token that names its key. Names may not be repeated, since parsers
 * disagree about the meaning. What the header says about where to find a key (`jku`, `x5u`, `jwk`, `x5c`) is never read.
 */
export function readToken(text: string): ReadToken | undefined {
  const [, head = '', payload = ''] = (text.length <= MAX_TOKEN_LENGTH && THREE_PARTS.exec(text)) || [];
  if (head === '' || head.length > MAX_HEADER_LENGTH) return undefined;
  const header = readPart(head);
  if (header === undefined || 'crit' in header || 'b64' in header || !TYPES.has(header['typ'])) return undefined;
  const { alg, kid } = header;
  if (typeof alg !== 'string' || typeof kid !== 'string') return undefined;
  const claims = readPart(payload);
  return claims === undefined ? undefined : { text, alg, kid, header, claims };
}

function readPart(part: string): Claims | undefined {
  try {
    const value = readJson(Buffer.from(part, 'base64url'), JSON_LIMITS, { repeated: false });
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
