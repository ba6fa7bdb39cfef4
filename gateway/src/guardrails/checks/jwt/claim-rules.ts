/** What the claims of a token must hold. */
import type { RegexWork } from '../../../lib/regex.ts';
import { compileValues, type MatchType, textsOf } from '../../matched-values.ts';

type Claims = Readonly<Record<string, unknown>>;

export interface ClaimRules {
  readonly requiredClaims: readonly string[];
  readonly claimValues: Readonly<Record<string, { readonly values: string | string[]; readonly matchType: MatchType }>>;
  readonly headerPayloadMatch: readonly string[];
}

export interface Validations {
  readonly requiredClaims: { readonly valid: boolean; readonly missing?: readonly string[] };
  readonly claimValues: { readonly valid: boolean; readonly failed?: readonly string[] };
  readonly headerPayloadMatch: { readonly valid: boolean; readonly mismatched?: readonly string[] };
}

const own = (claims: Claims, name: string): unknown => (Object.hasOwn(claims, name) ? claims[name] : undefined);

/** Scopes stand in one text. */
const valuesOf = (claim: string, value: unknown): readonly string[] =>
  claim === 'scope' && typeof value === 'string' ? value.split(/\s+/).filter((word) => word !== '') : textsOf(value);

/** Judges header and claims of a token, once for each request. */
export function compileClaimRules({ requiredClaims, claimValues, headerPayloadMatch }: ClaimRules) {
  const tests = Object.entries(claimValues).map(
    ([claim, { values, matchType }]) => [claim, compileValues(values, matchType)] as const,
  );
  return async (header: Claims, claims: Claims, work: RegexWork): Promise<Validations> => {
    const isMissing = (name: string): boolean => (own(claims, name) ?? null) === null;
    const missing = requiredClaims.filter(isMissing);
    const failed: string[] = [];
    for (const [claim, holds] of tests) {
      // A pattern whose work ended before the answer matches nothing.
      const isGood = !isMissing(claim) && (await holds(valuesOf(claim, own(claims, claim)), work)) === true;
      if (!isGood) failed.push(claim);
    }
    const mismatched = headerPayloadMatch.filter(
      (name) => own(header, name) === undefined || own(header, name) !== own(claims, name),
    );
    return {
      requiredClaims: missing.length === 0 ? { valid: true } : { valid: false, missing },
      claimValues: failed.length === 0 ? { valid: true } : { valid: false, failed },
      headerPayloadMatch: mismatched.length === 0 ? { valid: true } : { valid: false, mismatched },
    };
  };
}
