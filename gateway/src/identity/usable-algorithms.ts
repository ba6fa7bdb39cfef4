import { KeySet } from '../lib/jwt/index.ts';

/** Of the accepted algorithms, those that one of the keys can verify. */
export async function usableAlgorithms(
  jwks: readonly unknown[],
  accepted: readonly string[],
): Promise<readonly string[]> {
  const keys = KeySet.of(jwks);
  const usable = await Promise.all(accepted.map((alg) => keys.canVerify(alg)));
  return accepted.filter((_, i) => usable[i]);
}
