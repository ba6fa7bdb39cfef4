/** Whether a token is meant for this gateway, and now (RFC 7519, section 4.1). */

import type { Claims } from '../lib/jwt/index.ts';
import type { IssuerRecord } from '../snapshot/index.ts';

/** Why a token is refused; `expired`: the same token was good before. */
export interface ClaimProblem {
  /** Completes "the token …". */
  readonly why: string;
  readonly expired?: true;
}

/** The claims that every token of an issuer must fulfil. `nowMs`: Unix time. */
export function claimProblem(claims: Claims, issuer: IssuerRecord, nowMs: number): ClaimProblem | undefined {
  if (!isForGateway(claims, issuer) || (issuer.type === 'cluster' && isForOthers(claims, issuer)))
    return { why: 'is for another audience than this gateway' };
  return timeProblem(claims, issuer, nowMs / 1000);
}

/** A token of a ServiceAccount that the API server accepts, too, must not be shown to anybody else. */
const isForOthers = ({ aud }: Claims, { audiences }: IssuerRecord): boolean =>
  [aud].flat().some((audience) => typeof audience !== 'string' || !audiences.includes(audience));

/** The audience of the token is one of those that the issuer's tokens must have. */
export function isForGateway({ aud }: Claims, { audiences }: IssuerRecord): boolean {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return named.some((audience) => typeof audience === 'string' && audiences.includes(audience));
}

function timeProblem(claims: Claims, issuer: IssuerRecord, now: number): ClaimProblem | undefined {
  const { exp, nbf, iat } = claims;
  const { clockSkewSeconds: skew, maxLifetimeSeconds: longest } = issuer;
  if (!isTime(exp)) return { why: 'has no time of expiry (exp)' };
  if (now >= exp + skew) return { why: 'has expired', expired: true };
  if (nbf !== undefined && (!isTime(nbf) || now < nbf - skew)) return { why: 'is not valid yet (nbf)' };
  if (iat !== undefined && (!isTime(iat) || now < iat - skew)) return { why: 'was issued in the future (iat)' };
  if (longest === undefined || (isTime(iat) && exp - iat <= longest)) return undefined;
  return { why: `is valid for longer than the ${longest} seconds after iat that are allowed` };
}

/** Seconds since 1970; beyond the year 9999 nothing is a time. */
const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value < 253_402_300_800;
