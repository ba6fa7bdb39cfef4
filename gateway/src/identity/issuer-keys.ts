/** Where the keys of each issuer are. */

import { KeySet, type SigningKey } from '../lib/jwt/index.ts';
import type { IssuerRecord } from '../snapshot/index.ts';
import { RemoteKeys, type RemoteKeysPorts } from './remote-keys.ts';

export interface IssuerKeys {
  /**
   * The key that a token names; undefined: the issuer has none of that id for the algorithm. A promise only where keys must be
   * fetched first.
   */
  find(issuer: IssuerRecord, kid: string, alg: string): SigningKey | undefined | Promise<SigningKey | undefined>;
  /** Whether the issuer still publishes the key. */
  has(issuer: IssuerRecord, key: SigningKey): boolean;
  /** Fetches the keys of these issuers from now on, and of no others. */
  follow(issuers: readonly IssuerRecord[]): void;
  close(): void;
}

export function createIssuerKeys(ports: RemoteKeysPorts): IssuerKeys {
  // A record lives as long as its entry stays the same.
  const inline = new WeakMap<IssuerRecord, KeySet>();
  const remote = new Map<string, RemoteKeys>();
  let isClosed = false;

  const setOf = (issuer: IssuerRecord): KeySet => {
    const known = inline.get(issuer) ?? KeySet.of(issuer.jwks ?? []);
    inline.set(issuer, known);
    return known;
  };
  const sourceOf = (issuer: IssuerRecord): Pick<RemoteKeys, 'find' | 'has'> =>
    (issuer.jwksUri === undefined ? undefined : remote.get(issuer.jwksUri)) ?? setOf(issuer);
  const follow = (issuers: readonly IssuerRecord[]): void => {
    const wanted = new Set(issuers.flatMap(({ jwksUri }) => (jwksUri === undefined ? [] : [jwksUri])));
    for (const [uri, keys] of remote) {
      if (wanted.has(uri)) continue;
      keys.close();
      remote.delete(uri);
    }
    for (const uri of wanted) if (!remote.has(uri) && !isClosed) remote.set(uri, new RemoteKeys(uri, ports));
  };
  return {
    find: (issuer, kid, alg) => sourceOf(issuer).find(kid, alg),
    has: (issuer, key) => sourceOf(issuer).has(key),
    follow,
    close: () => {
      isClosed = true;
      follow([]);
    },
  };
}
