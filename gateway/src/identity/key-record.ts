/** What the holder of a token may do, as the record of a key of one workspace. Rules: docs/behaviour/identity.md. */
import { hash } from 'node:crypto';
import { isObject } from '@gatehouse/crds';
import { AppError } from '../errors/index.ts';
import type { Claims } from '../lib/jwt/index.ts';
import { compileLimits, type IssuerRecord, type KeyRecord, type SnapshotView } from '../snapshot/index.ts';
import { limitClaims } from './limit-claims.ts';

export interface TokenIdentity {
  readonly key: KeyRecord;
  /** SHA-256 of its id, lower-case hex. */
  readonly keyHash: string;
  /** Of a token that belongs to a pod: what tells it from all others in the cluster. */
  readonly pod?: string;
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

/** Throws AppError WORKSPACE_FORBIDDEN, or KEY_INVALID for limits that cannot be read. */
export function toIdentity(claims: Claims, issuer: IssuerRecord, snapshot: SnapshotView): TokenIdentity {
  checkOrganisation(claims, issuer);
  const workspace = workspaceOf(claims, issuer, snapshot);
  const user = textOf(claims, namesOf(issuer.claims?.user, USER_CLAIMS))?.slice(0, MAX_USER);
  const subject = textOf(claims, ['sub']) ?? user ?? '';
  const id = keyId(workspace, issuer.issuer, subject);
  const claimed = limitClaims(claims, issuer);
  const key: KeyRecord = {
    id,
    name: (user ?? subject).slice(0, MAX_SUBJECT) || 'token',
    workspace,
    scopes: scopesOf(claims, issuer),
    defaults: defaultsOf(claims, workspace, snapshot),
    limits: compileLimits(
      { subject: id, workspace },
      { rateLimits: [...issuer.rateLimits, ...claimed.rateLimits], usageLimits: claimed.usageLimits },
    ),
    expiresAtMs: (Number(claims['exp']) + issuer.clockSkewSeconds) * 1000,
    user,
  };
  return { key, keyHash: hash('sha256', key.id) };
}

/** Limits are counted by workspace, issuer and subject: all tokens of a person or program share them. */
function keyId(workspace: string, issuer: string, subject: string): string {
  const short = subject.length <= MAX_SUBJECT ? subject : `sha256:${hash('sha256', subject)}`;
  return `token/${workspace}/${hash('sha256', issuer).slice(0, 16)}/${short}`;
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

const namesOf = (own: string | undefined, usual: readonly string[]): readonly string[] =>
  own === undefined ? usual : [own];

function textOf(claims: Claims, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
