/** From a token to the identity of its holder: signature and claims are checked once, then the result is kept. */
import { hash } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { AppError } from '../errors/index.ts';
import { type Claims, type ReadToken, readToken, type SigningKey } from '../lib/jwt/index.ts';
import type { IssuerRecord, SnapshotView } from '../snapshot/index.ts';
import { type ClaimProblem, claimProblem, isForGateway } from './check-claims.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { type TokenIdentity, toIdentity } from './key-record.ts';
import { toWorkloadIdentity } from './workload.ts';

export interface TokenCheckPorts {
  readonly keys: IssuerKeys;
  /** Unix time in ms. */
  now(): number;
}

export interface TokenCheck {
  /**
   * Who holds the token: a promise only where its signature is not known yet. `header`: where it stood, for errors. Throws, or
   * rejects with, AppError KEY_INVALID, KEY_EXPIRED or WORKSPACE_FORBIDDEN. Undefined: the text is no token of an issuer that
   * the Snapshot has.
   */
  identify(text: string, header: string, snapshot: SnapshotView): TokenIdentity | Promise<TokenIdentity> | undefined;
}

/** A token whose signature and claims were good. */
interface Verified {
  readonly claims: Claims;
  readonly issuer: IssuerRecord;
  readonly key: SigningKey;
  readonly expiresAtMs: number;
}

/** Tokens that are kept, and their size together; a token takes several times the memory of its text. */
const MAX_VERIFIED = 10_000;
const MAX_VERIFIED_BYTES = 64 * 1024 * 1024;
const BYTES_PER_CHARACTER = 4;
/** Identities that are kept for one Snapshot. */
const MAX_IDENTITIES = 10_000;

/** Only good tokens are kept, so that callers cannot fill the memory with texts of their own. */
export function createTokenCheck({ keys, now }: TokenCheckPorts): TokenCheck {
  const verified = new LRUCache<string, Verified>({ max: MAX_VERIFIED, maxSize: MAX_VERIFIED_BYTES });
  const checking = new Map<string, { readonly issuer: IssuerRecord; readonly result: Promise<Verified> }>();
  const identities = createIdentities();

  const check = async (token: ReadToken, issuer: IssuerRecord, header: string): Promise<Verified> => {
    const problem = claimProblem(token.claims, issuer, now());
    if (problem !== undefined) throw refused(header, problem);
    if (!issuer.algorithms.includes(token.alg))
      throw refused(header, { why: 'has a signature of a kind that is not accepted' });
    const key = await keys.find(issuer, token.kid, token.alg);
    if (key === undefined) throw refused(header, { why: 'is signed with a key that its issuer does not have' });
    await checkSignature(token, { issuer, key, header, nowMs: now() });
    const expiresAtMs = (Number(token.claims['exp']) + issuer.clockSkewSeconds) * 1000;
    return { claims: token.claims, issuer, key, expiresAtMs };
  };
  const checkOnce = (digest: string, token: ReadToken, issuer: IssuerRecord, header: string): Promise<Verified> => {
    const running = checking.get(digest);
    if (running?.issuer === issuer) return running.result;
    const result = check(token, issuer, header)
      .then((good) => {
        verified.set(digest, good, { size: token.text.length * BYTES_PER_CHARACTER });
        return good;
      })
      .finally(() => {
        if (checking.get(digest)?.result === result) checking.delete(digest);
      });
    checking.set(digest, { issuer, result });
    return result;
  };
  const isCurrent = ({ issuer, key }: Verified, snapshot: SnapshotView): boolean =>
    snapshot.issuer(issuer.issuer) === issuer && keys.has(issuer, key);

  return {
    identify: (text, header, snapshot) => {
      const digest = hash('sha256', text, 'base64');
      const known = verified.get(digest);
      if (known !== undefined && isCurrent(known, snapshot)) {
        if (now() < known.expiresAtMs) return identities.of(digest, known, snapshot);
        verified.delete(digest);
        throw refused(header, EXPIRED);
      }
      verified.delete(digest);
      const token = readToken(text);
      const issuer = token && issuerOf(token, snapshot);
      if (token === undefined || issuer === undefined) return undefined;
      return checkOnce(digest, token, issuer, header).then((good) => identities.of(digest, good, snapshot));
    },
  };
}

/** Issuers of ServiceAccount tokens. */
const CLUSTER = 'cluster';

const EXPIRED: ClaimProblem = { why: 'has expired', expired: true };

function issuerOf({ claims: { iss } }: Pick<ReadToken, 'claims'>, snapshot: Pick<SnapshotView, 'issuer'>) {
  return typeof iss === 'string' ? snapshot.issuer(iss) : undefined;
}

/** Whether the text is a token for this gateway, good or not: such a text goes to no provider. */
export function isOwnToken(text: string, snapshot: Pick<SnapshotView, 'issuer'>): boolean {
  const token = readToken(text);
  const issuer = token && issuerOf(token, snapshot);
  return token !== undefined && issuer !== undefined && isForGateway(token.claims, issuer);
}

/**
 * The identities of tokens in one Snapshot, which are made anew for the next one: its workspaces and configs may differ.
 */
function createIdentities() {
  const bySnapshot = new WeakMap<
    SnapshotView,
    Map<string, { readonly of: Verified; readonly identity: TokenIdentity }>
  >();
  return {
    of: (digest: string, token: Verified, snapshot: SnapshotView): TokenIdentity => {
      const identities = bySnapshot.get(snapshot) ?? new Map();
      const known = identities.get(digest);
      if (known !== undefined && known.of === token) return known.identity;
      const { claims, issuer } = token;
      const identity =
        issuer.type === CLUSTER ? toWorkloadIdentity(claims, issuer, snapshot) : toIdentity(claims, issuer, snapshot);
      if (identities.size >= MAX_IDENTITIES) identities.clear();
      identities.set(digest, { of: token, identity });
      bySnapshot.set(snapshot, identities);
      return identity;
    },
  };
}

interface SignatureInput {
  readonly issuer: IssuerRecord;
  readonly key: SigningKey;
  readonly header: string;
  readonly nowMs: number;
}

async function checkSignature({ text, alg }: ReadToken, { issuer, key, header, nowMs }: SignatureInput): Promise<void> {
  try {
    await jwtVerify(text, await key.imported(alg), {
      algorithms: [alg],
      issuer: issuer.issuer,
      audience: [...issuer.audiences],
      clockTolerance: issuer.clockSkewSeconds,
      currentDate: new Date(nowMs),
      requiredClaims: ['exp'],
    });
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) throw refused(header, { why: 'has a wrong signature' });
    if (error instanceof errors.JOSEError) throw refused(header, { why: 'cannot be verified' });
    throw refused(header, { why: 'is signed with a key that cannot be used' });
  }
}

/** Nothing of the token is repeated. */
const refused = (header: string, { why, expired }: ClaimProblem): AppError =>
  expired === true
    ? new AppError('KEY_EXPIRED', {
        param: header,
        detail: `API Key Expired: the token in ${header} ${why}; get a new one`,
      })
    : new AppError('KEY_INVALID', { param: header, detail: `Invalid API Key: the token in ${header} ${why}` });
