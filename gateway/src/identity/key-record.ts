/** What the holder of a token may do, as the record of a key of one workspace. Rules: docs/behaviour/identity.md. */
import { hash } from 'node:crypto';
import { isObject } from '@gatehouse/crds';
import type { RateLimitBody } from '@gatehouse/crds/snapshot';
import { AppError } from '../errors/index.ts';
import type { Claims } from '../lib/jwt/index.ts';
import { compileLimits, type IssuerRecord, type KeyRecord, type SnapshotView } from '../snapshot/index.ts';

export interface TokenIdentity {
  readonly key: KeyRecord;
  /** SHA-256 of its id, lower-case hex. */
  readonly keyHash: string;
}

const ORGANISATION_CLAIMS: readonly string[] = ['gw_oid', 'organisation_id'];
const WORKSPACE_CLAIMS: readonly string[] = ['gw_workspace', 'workspace_slug'];
const SCOPE_CLAIMS: readonly string[] = ['scope', 'scopes'];
const USER_CLAIMS: readonly string[] = ['email_id', 'sub', 'uid'];

/** Longest subject that is part of a name as it is. */
const MAX_SUBJECT = 128;
const MAX_USER = 255;
const MAX_SCOPES = 200;
const MAX_METADATA = 64;
const MAX_METADATA_VALUE = 128;
const MAX_LIMITS = 10;

/** Throws AppError WORKSPACE_FORBIDDEN, or KEY_INVALID for limits that cannot be read. */
export function toIdentity(claims: Claims, issuer: IssuerRecord, snapshot: SnapshotView): TokenIdentity {
  checkOrganisation(claims, issuer);
  const workspace = workspaceOf(claims, issuer, snapshot);
  const user = textOf(claims, namesOf(issuer.claims?.user, USER_CLAIMS))?.slice(0, MAX_USER);
  const subject = textOf(claims, ['sub']) ?? user ?? '';
  const id = keyId(issuer.issuer, subject);
  const key: KeyRecord = {
    id,
    name: (user ?? subject).slice(0, MAX_SUBJECT) || 'token',
    workspace,
    scopes: scopesOf(claims, issuer),
    defaults: defaultsOf(claims, workspace, snapshot),
    limits: compileLimits(
      { subject: id, workspace },
      { rateLimits: [...issuer.rateLimits, ...rateLimitsOf(claims, issuer)] },
    ),
    expiresAtMs: (Number(claims['exp']) + issuer.clockSkewSeconds) * 1000,
    user,
  };
  return { key, keyHash: hash('sha256', key.id) };
}

/** Limits are counted by issuer and subject: all tokens of a person or program share them. */
function keyId(issuer: string, subject: string): string {
  const short = subject.length <= MAX_SUBJECT ? subject : `sha256:${hash('sha256', subject)}`;
  return `token/${hash('sha256', issuer).slice(0, 16)}/${short}`;
}

function checkOrganisation(claims: Claims, { organisation, claims: names }: IssuerRecord): void {
  if (organisation === undefined) return;
  if (textOf(claims, namesOf(names?.organisation, ORGANISATION_CLAIMS)) === organisation) return;
  throw forbidden('the token does not name the organisation of this gateway');
}

/** The same text whether a workspace is absent or not allowed. */
function workspaceOf(claims: Claims, issuer: IssuerRecord, snapshot: SnapshotView): string {
  const named = textOf(claims, namesOf(issuer.claims?.workspace, WORKSPACE_CLAIMS)) ?? issuer.defaultWorkspace;
  if (named === undefined) throw forbidden('the token names no workspace, and its issuer has no default');
  const isAllowed = issuer.workspaces?.includes(named) ?? true;
  if (isAllowed && snapshot.workspace(named) !== undefined) return named;
  throw forbidden('tokens of its issuer may not act in the workspace that the token names');
}

const forbidden = (why: string): AppError =>
  new AppError('WORKSPACE_FORBIDDEN', { detail: `Forbidden! ${sentence(why)}` });

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What the token claims, as far as the issuer may give it. `gw.completions:write` is `completions.write`. */
function scopesOf(claims: Claims, { claims: names, scopes: most, defaultScopes }: IssuerRecord): ReadonlySet<string> {
  const claimed = namesOf(names?.scopes, SCOPE_CLAIMS)
    .map((name) => claims[name])
    .find((value) => value !== undefined);
  const asked = claimed === undefined ? defaultScopes : listOf(claimed).map(canonicalScope);
  return new Set(asked.filter((scope) => most.includes(scope)));
}

const listOf = (claim: unknown): readonly string[] =>
  (typeof claim === 'string'
    ? claim.split(/[ ,]+/, MAX_SCOPES)
    : Array.isArray(claim)
      ? claim.slice(0, MAX_SCOPES)
      : []
  ).filter((item) => typeof item === 'string');

const canonicalScope = (scope: string): string => scope.replace(/^gw[.:]/, '').replace(':', '.');

function defaultsOf(claims: Claims, workspace: string, snapshot: SnapshotView): KeyRecord['defaults'] {
  const { defaults } = claims;
  if (!isObject(defaults)) return { allowConfigOverride: true };
  const config = textOf(defaults, ['config', 'config_slug', 'config_id']);
  // One that the workspace does not have is ignored.
  const known = config !== undefined && snapshot.config(workspace, config) !== undefined;
  const metadata = metadataOf(defaults['metadata']);
  return {
    allowConfigOverride: defaults['allow_config_override'] !== false,
    ...(known ? { config } : {}),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function metadataOf(value: unknown): Record<string, string> | undefined {
  if (!isObject(value)) return undefined;
  const texts = Object.entries(value)
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .slice(0, MAX_METADATA);
  return Object.assign(
    Object.create(null),
    Object.fromEntries(texts.map(([name, text]) => [name, text.slice(0, MAX_METADATA_VALUE)])),
  );
}

const UNITS: ReadonlySet<unknown> = new Set(['rps', 'rpm', 'rph', 'rpd', 'rpw']);

function rateLimitsOf(claims: Claims, { allowLimitClaims }: IssuerRecord): readonly RateLimitBody[] {
  const value = allowLimitClaims ? claims['rate_limits'] : undefined;
  if (value === undefined) return [];
  const limits = Array.isArray(value) && value.length <= MAX_LIMITS ? value.map(toRateLimit) : [undefined];
  // A limit that is not understood must not count as none.
  if (limits.includes(undefined)) throw unreadable('rate_limits');
  return limits.filter((limit) => limit !== undefined);
}

function toRateLimit(limit: unknown): RateLimitBody | undefined {
  const { type = 'requests', unit, value } = isObject(limit) ? limit : {};
  if ((type !== 'requests' && type !== 'tokens') || !UNITS.has(unit)) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) return undefined;
  return { type, unit: unit as RateLimitBody['unit'], value }; // one of UNITS
}

const unreadable = (claim: string): AppError =>
  new AppError('KEY_INVALID', {
    detail: `Invalid API Key: the claim ${claim} of the token cannot be read`,
    param: claim,
  });

const namesOf = (own: string | undefined, usual: readonly string[]): readonly string[] =>
  own === undefined ? usual : [own];

function textOf(claims: Claims, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
