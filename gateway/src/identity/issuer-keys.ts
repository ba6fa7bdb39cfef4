/** Where the keys of each issuer are. */
import type { IssuerRecord } from '../snapshot/index.ts';
import { KeySet, type SigningKey } from './key-set.ts';

export interface IssuerKeys {
  /** The key that a token names; undefined: the issuer has none of that id for the algorithm. */
  find(issuer: IssuerRecord, kid: string, alg: string): SigningKey | undefined | Promise<SigningKey | undefined>;
  /** Whether the issuer still publishes the key. */
  has(issuer: IssuerRecord, key: SigningKey): boolean;
}

export function createIssuerKeys(): IssuerKeys {
  // A record lives as long as its entry stays the same.
  const inline = new WeakMap<IssuerRecord, KeySet>();
  const setOf = (issuer: IssuerRecord): KeySet => {
    const known = inline.get(issuer) ?? KeySet.of(issuer.jwks ?? []);
    inline.set(issuer, known);
    return known;
  };
  return {
    find: (issuer, kid, alg) => setOf(issuer).find(kid, alg),
    has: (issuer, key) => setOf(issuer).has(key),
  };
}
