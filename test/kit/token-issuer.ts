/** An issuer of JSON Web Tokens with keys of its own. */
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';

export const ISSUER = 'https://id.example';
/** Unix time in seconds at which the tests of tokens take place. */
export const ISSUED = 1_800_000_000;

export interface TokenIssuer {
  readonly privateKey: CryptoKey;
  /** As the issuer publishes it. */
  readonly jwk: JWK & { readonly kid: string; readonly kty: string };
  /** A token that is good for ten minutes, unless the claims or the header say otherwise; undefined leaves a claim out. */
  sign(claims?: Record<string, unknown>, header?: Partial<JWTHeaderParameters>): Promise<string>;
}

const GOOD = {
  iss: ISSUER,
  aud: 'gateway',
  sub: 'ada',
  gw_workspace: 'team-a',
  scope: 'completions.write',
};

export async function createTokenIssuer({ alg = 'RS256', kid = 'one' } = {}): Promise<TokenIssuer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return {
    privateKey,
    jwk: { ...jwk, kty: jwk.kty ?? '' },
    sign: (claims = {}, header = {}) =>
      new SignJWT(JSON.parse(JSON.stringify({ ...GOOD, iat: ISSUED, exp: ISSUED + 600, ...claims })))
        .setProtectedHeader({ alg, kid, typ: 'JWT', ...header })
        .sign(privateKey),
  };
}
