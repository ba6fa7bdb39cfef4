/** Sets of public keys for signatures (RFC 7517). */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import { err, ok, type Result } from '../lib/result.ts';

/** Keys of one set. */
export const MAX_JWKS_KEYS = 64;
/** A modulus of 8,192 bits: checking a signature takes longer with each bit. */
const MAX_MODULUS = 1366;
const MAX_COORDINATE = 88;
const MIN_RSA_BITS = 2048;

/** A public key for signatures; what else a key of a set has is not read. */
export const publicJwk = z.object({
  kid: z.string().min(1).max(256),
  kty: z.enum(['RSA', 'EC', 'OKP']),
  alg: z.string().max(32).optional(),
  use: z.literal('sig').optional(),
  n: z.string().max(MAX_MODULUS).optional(),
  e: z.string().max(8).optional(),
  crv: z.string().max(32).optional(),
  x: z.string().max(MAX_COORDINATE).optional(),
  y: z.string().max(MAX_COORDINATE).optional(),
});

export type PublicJwk = z.output<typeof publicJwk>;

const jwks = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(MAX_JWKS_KEYS) });

/**
 * The keys for signatures of a set that a person wrote; keys for something else are left out. The error is a sentence without
 * any of the text, which may hold a private key.
 */
export function parseJwks(text: string): Result<readonly PublicJwk[], string> {
  const set = jwks.safeParse(jsonOf(text));
  if (!set.success) return err(`expected JSON like {"keys": [...]} with at most ${MAX_JWKS_KEYS} keys`);
  const keys: PublicJwk[] = [];
  for (const [i, jwk] of set.data.keys.entries()) {
    const problem = problemOf(jwk);
    if (problem !== undefined) return err(`keys[${i}] ${problem}`);
    const { data } = publicJwk.safeParse(jwk);
    if (data !== undefined) keys.push(data);
  }
  return keys.length === 0 ? err('has no key for signatures with a kid') : ok(keys);
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

function problemOf(jwk: Readonly<Record<string, unknown>>): string | undefined {
  if (PRIVATE_MEMBERS.some((name) => Object.hasOwn(jwk, name)))
    return 'is a private key or a shared secret: give the public key';
  if (jwk['use'] !== undefined && jwk['use'] !== 'sig') return undefined; // for something else
  const { data, error } = publicJwk.safeParse(jwk);
  if (data === undefined) return `has no usable ${error.issues[0]?.path.join('.') ?? 'members'}`;
  return keyProblem(data);
}

function keyProblem({ kty, n, e, crv, x, y }: PublicJwk): string | undefined {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: JSON.parse(JSON.stringify({ kty, n, e, crv, x, y })), format: 'jwk' });
  } catch {
    return `is no usable public key of type ${kty}`;
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS;
  return bits < MIN_RSA_BITS ? `has ${bits} bits: an RSA key needs at least ${MIN_RSA_BITS}` : undefined;
}
