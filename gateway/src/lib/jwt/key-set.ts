/** The public keys of an issuer (RFC 7517). */
import { canonicalJson } from '@gatehouse/crds/snapshot';
import { importJWK, type JWK } from 'jose';
import { z } from 'zod';

/** Keys of one set: what is beyond is not looked at. */
export const MAX_KEYS = 64;
/** A modulus of 8,192 bits: checking a signature takes longer with each bit. */
const MAX_MODULUS = 1366;
const MAX_COORDINATE = 88;

/** Other members, such as chains of certificates, are not kept. */
const shape = z.object({
  kid: z.string().min(1).max(256),
  kty: z.string(),
  alg: z.string().optional(),
  use: z.literal('sig').optional(),
  key_ops: z.array(z.string()).max(16).optional(),
  n: z.string().max(MAX_MODULUS).optional(),
  e: z.string().max(8).optional(),
  crv: z.string().optional(),
  x: z.string().max(MAX_COORDINATE).optional(),
  y: z.string().max(MAX_COORDINATE).optional(),
});

type Shape = z.output<typeof shape>;

/** Which keys fit an algorithm (RFC 7518, RFC 8037); algorithms with a shared secret are none. */
const FITS: ReadonlyMap<string, { readonly kty: string; readonly crv?: string }> = new Map(
  Object.entries({
    RS256: { kty: 'RSA' },
    RS384: { kty: 'RSA' },
    RS512: { kty: 'RSA' },
    PS256: { kty: 'RSA' },
    PS384: { kty: 'RSA' },
    PS512: { kty: 'RSA' },
    ES256: { kty: 'EC', crv: 'P-256' },
    ES384: { kty: 'EC', crv: 'P-384' },
    ES512: { kty: 'EC', crv: 'P-521' },
    EdDSA: { kty: 'OKP', crv: 'Ed25519' },
    Ed25519: { kty: 'OKP', crv: 'Ed25519' },
  }),
);

/** The same object as long as the issuer publishes the same key. */
export class SigningKey {
  readonly #jwk: Shape;
  readonly #imported = new Map<string, ReturnType<typeof importKey>>();

  constructor(jwk: Shape) {
    this.#jwk = jwk;
  }

  fits(kid: string, alg: string): boolean {
    return this.#jwk.kid === kid && this.isFor(alg);
  }

  isFor(alg: string): boolean {
    const { alg: only = alg, kty, crv } = this.#jwk;
    const wanted = FITS.get(alg);
    if (wanted === undefined || only !== alg || kty !== wanted.kty) return false;
    return wanted.crv === undefined || crv === wanted.crv;
  }

  /** Rejects for a key that cannot be used, such as one of RSA with less than 2,048 bits. */
  imported(alg: string): ReturnType<typeof importKey> {
    const known = this.#imported.get(alg) ?? importKey(this.#jwk, alg);
    this.#imported.set(alg, known);
    return known;
  }
}

/** Public members alone, whatever the set holds. */
function importKey({ kty, n, e, crv, x, y }: Shape, alg: string) {
  const members = Object.entries({ kty, n, e, crv, x, y }).filter(([, value]) => value !== undefined);
  return importJWK(Object.fromEntries(members) as JWK, alg); // the members are those of a JWK
}

export class KeySet {
  readonly #keys: ReadonlyMap<string, SigningKey>;

  constructor(keys: ReadonlyMap<string, SigningKey>) {
    this.#keys = keys;
  }

  /** Keys for something else than signatures, and what is no key, are left out. Unchanged keys are those of `previous`. */
  static of(jwks: readonly unknown[], previous: KeySet = NO_KEYS): KeySet {
    const keys = new Map<string, SigningKey>();
    for (const jwk of jwks.slice(0, MAX_KEYS)) {
      const { data } = shape.safeParse(jwk);
      if (data === undefined || data.key_ops?.includes('verify') === false) continue;
      const id = canonicalJson(data);
      keys.set(id, previous.#keys.get(id) ?? new SigningKey(data));
    }
    return new KeySet(keys);
  }

  get size(): number {
    return this.#keys.size;
  }

  find(kid: string, alg: string): SigningKey | undefined {
    return this.#keys.values().find((key) => key.fits(kid, alg));
  }

  /** Whether there is a key for the algorithm that can be used. */
  async canVerify(alg: string): Promise<boolean> {
    const imports = [...this.#keys.values()].filter((key) => key.isFor(alg)).map((key) => key.imported(alg));
    return (await Promise.allSettled(imports)).some(({ status }) => status === 'fulfilled');
  }

  has(key: SigningKey): boolean {
    return this.#keys.values().some((own) => own === key);
  }
}

const NO_KEYS = new KeySet(new Map());
