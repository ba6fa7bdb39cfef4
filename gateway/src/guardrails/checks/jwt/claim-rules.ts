/** What the claims of a token must hold. */
import { compileRegex, type Pattern, type RegexWork } from '../../../lib/regex.ts';

type Claims = Readonly<Record<string, unknown>>;
type MatchType = 'exact' | 'contains' | 'containsAll' | 'regex';

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

type ValueTest = (actual: readonly string[], work: RegexWork) => boolean | Promise<boolean>;

/** Values of one claim that are looked at. */
const MAX_VALUES = 1_024;

const own = (claims: Claims, name: string): unknown => (Object.hasOwn(claims, name) ? claims[name] : undefined);

/** Texts are compared; numbers and booleans as JSON writes them. */
function textsOf(claim: string, value: unknown): readonly string[] {
  if (claim === 'scope' && typeof value === 'string') return value.split(/\s+/).filter((word) => word !== '');
  return [value]
    .flat()
    .slice(0, MAX_VALUES)
    .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
    .filter((one) => one !== undefined);
}

function compileValues(expected: readonly string[], matchType: MatchType): ValueTest {
  switch (matchType) {
    case 'exact':
      return (actual) => expected.length === 1 && actual.length === 1 && actual[0] === expected[0];
    case 'contains':
      return (actual) => actual.some((value) => expected.some((part) => value.includes(part)));
    case 'containsAll':
      return (actual) => expected.every((part) => actual.some((value) => value.includes(part)));
    case 'regex': {
      const patterns = expected.map(compileRegex);
      return (actual, work) => matchesAny(patterns, actual, work);
    }
  }
}

/** A pattern whose work ended before the answer matches nothing. */
async function matchesAny(patterns: readonly Pattern[], values: readonly string[], work: RegexWork): Promise<boolean> {
  for (const pattern of patterns) {
    for (const value of values) if ((await pattern.test(value, work)) === true) return true;
  }
  return false;
}

/** Judges header and claims of a token, once for each request. */
export function compileClaimRules({ requiredClaims, claimValues, headerPayloadMatch }: ClaimRules) {
  const tests = Object.entries(claimValues).map(
    ([claim, { values, matchType }]) => [claim, compileValues([values].flat(), matchType)] as const,
  );
  return async (header: Claims, claims: Claims, work: RegexWork): Promise<Validations> => {
    const isMissing = (name: string): boolean => (own(claims, name) ?? null) === null;
    const missing = requiredClaims.filter(isMissing);
    const failed: string[] = [];
    for (const [claim, holds] of tests) {
      if (isMissing(claim) || !(await holds(textsOf(claim, own(claims, claim)), work))) failed.push(claim);
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
