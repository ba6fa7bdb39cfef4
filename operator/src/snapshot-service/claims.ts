/** The claims of a token. They are not verified: they only show which tokens need no review. */
import { parseJson } from '@gatehouse/crds';
import { z } from 'zod';

/** Projected tokens have about 1,000 characters. */
const MAX_TOKEN_CHARACTERS = 16_384;
/** Largest difference of clocks, in seconds. */
const SKEW_SECONDS = 60;
const THREE_PARTS = /^[\w-]+\.([\w-]+)\.[\w-]+$/;
const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** The ServiceAccount of a token. */
export interface Caller {
  readonly namespace: string;
  readonly account: string;
}

/** The ServiceAccount with this user name; undefined for any other user. */
export function toCaller(username: string): Caller | undefined {
  const [, namespace, account] = ACCOUNT.exec(username) ?? [];
  return namespace === undefined || account === undefined ? undefined : { namespace, account };
}

const claims = z.looseObject({
  sub: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  nbf: z.number().optional(),
});

/** The account that a token claims; undefined for one that no API server would accept for this audience now. */
export function claimedCaller(token: string, audience: string, nowMs: number): Caller | undefined {
  const [, payload = ''] = (token.length <= MAX_TOKEN_CHARACTERS && THREE_PARTS.exec(token)) || [];
  const parsed = claims.safeParse(decodeJson(Buffer.from(payload, 'base64url').toString('utf8')));
  if (!parsed.success) return undefined;
  const { sub, aud, exp, nbf = 0 } = parsed.data;
  const nowSeconds = nowMs / 1_000;
  if (exp + SKEW_SECONDS < nowSeconds || nbf - SKEW_SECONDS > nowSeconds) return undefined;
  if (![aud].flat().includes(audience)) return undefined;
  return toCaller(sub);
}

function decodeJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
