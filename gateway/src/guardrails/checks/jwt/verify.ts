/** Whether a token is signed by a key of its issuer, and valid now. */
import { errors, jwtVerify } from 'jose';
import { KeySet, readToken, type SigningKey } from '../../../lib/jwt/index.ts';
import { FetchedKeys, type KeyRequest } from './fetched-keys.ts';

/** A token as its issuer vouches for it, or why it is refused. */
export type Checked =
  | {
      readonly good: true;
      readonly header: Readonly<Record<string, unknown>>;
      readonly claims: Readonly<Record<string, unknown>>;
    }
  | { readonly good: false; readonly why: string };

export type TokenSource = (token: string, request: KeyRequest) => Promise<Checked>;

export interface VerifyOptions {
  readonly jwks?: { readonly keys: readonly unknown[] } | undefined;
  readonly jwksUri?: string | undefined;
  readonly cacheMaxAge: number;
  readonly algorithms: readonly string[];
  readonly clockTolerance: number;
  readonly maxTokenAge: string;
}

const refused = (why: string): Checked => ({ good: false, why });

const BY_CODE: ReadonlyMap<string, string> = new Map([
  [errors.JWTExpired.code, 'The token has expired'],
  [errors.JWSSignatureVerificationFailed.code, 'The token has a wrong signature'],
  [errors.JWTClaimValidationFailed.code, 'The token is not valid at this time'],
]);

/** Checks signatures with the key set of the parameters, else with the one at a URL. Rejects with CheckFault. */
export function compileVerification(options: VerifyOptions): TokenSource {
  const find = compileKeys(options);
  return async (text, request) => {
    const token = readToken(text);
    if (token === undefined) return refused('The header holds no signed token that names its key');
    const { kid, alg, header, claims } = token;
    if (!options.algorithms.includes(alg)) return refused('The token is signed with an algorithm that is not accepted');
    const key = await find(kid, alg, request);
    if (key === undefined) return refused('The token is signed with a key that its issuer does not have');
    try {
      await jwtVerify(text, await key.imported(alg), {
        algorithms: [alg],
        clockTolerance: options.clockTolerance,
        currentDate: new Date(request.tools.now()),
        ...(claims['iat'] === undefined ? {} : { maxTokenAge: ageOf(options.maxTokenAge) }),
      });
      return { good: true, header, claims };
    } catch (error) {
      const code = error instanceof errors.JOSEError ? error.code : '';
      return refused(BY_CODE.get(code) ?? 'The token cannot be verified');
    }
  };
}

/** A number without a unit is in seconds. */
const ageOf = (text: string): string | number => (Number.isNaN(Number(text)) ? text : Number(text));

function compileKeys({ jwks, jwksUri, cacheMaxAge }: VerifyOptions) {
  if (jwks !== undefined || jwksUri === undefined) {
    const keys = KeySet.of(jwks?.keys ?? []);
    return (kid: string, alg: string): SigningKey | undefined => keys.find(kid, alg);
  }
  const fetched = new FetchedKeys({ uri: jwksUri, maxAgeMs: cacheMaxAge * 1000 });
  return (kid: string, alg: string, request: KeyRequest) => fetched.find(kid, alg, request);
}
