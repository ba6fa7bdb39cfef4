/** Issuers of the Organisation as entries of the Snapshot, and what is wrong with them. */

import { canonicalScope, type Organisation, type PublicJwk, parseJwks, SCOPES } from '@gatehouse/crds/kinds';
import { GATEWAY_AUDIENCE } from '@gatehouse/crds/snapshot';
import {
  type ClusterIssuer,
  type EntryDraft,
  type Finding,
  type Lookups,
  missing,
  notPermitted,
  verdictKey,
} from '../../types/index.ts';

type JwtIssuer = NonNullable<Organisation['spec']['jwtIssuers']>[number];
type IssuerDraft = Extract<EntryDraft, { kind: 'issuer' }>;

/** What keys of type workspace-service may do: a token never does more. */
const MOST_SCOPES: readonly string[] = [...SCOPES]
  .filter(([, types]) => types.includes('workspace-service'))
  .map(([scope]) => scope);

const DEFAULT_ALGORITHMS: readonly string[] = ['RS256'];

/** The issuer of the cluster goes before one of the Organisation with the same name. */
export function issuerEntries(
  issuers: readonly JwtIssuer[] = [],
  cluster: ClusterIssuer | undefined,
): readonly IssuerDraft[] {
  const bodies = issuers.filter(({ issuer }) => issuer !== cluster?.issuer).map(bodyOf);
  const all = cluster === undefined ? bodies : [clusterBody(cluster), ...bodies];
  return all.map((body) => ({ kind: 'issuer', workspace: null, name: body.issuer, body }));
}

const REPLACED =
  'is the issuer of this cluster: its tokens belong to ServiceAccounts, which act by workloadIdentities of Workspaces, and nothing of this entry is used; remove it';

/** Clocks of one cluster. */
const CLUSTER_SKEW_SECONDS = 10;
/** Tokens of pods are renewed long before. */
const CLUSTER_LIFETIME_SECONDS = 3600;

/** Scopes and limits are those of `workloadIdentities`. */
const clusterBody = ({ issuer, keys }: ClusterIssuer): IssuerDraft['body'] => ({
  type: 'cluster',
  issuer,
  jwks: [...keys],
  audiences: [GATEWAY_AUDIENCE],
  algorithms: [...CLUSTER_ALGORITHMS],
  clockSkewSeconds: CLUSTER_SKEW_SECONDS,
  maxLifetimeSeconds: CLUSTER_LIFETIME_SECONDS,
  scopes: [],
  defaultScopes: [],
  allowLimitClaims: false,
  rateLimits: [],
});

/** What API servers sign with. */
const CLUSTER_ALGORITHMS = ['RS256', 'ES256', 'ES384', 'ES512'];

function bodyOf(spec: JwtIssuer): IssuerDraft['body'] {
  const { issuer, jwksUri, jwks, audiences, clockSkewSeconds, maxLifetimeMinutes, organisation, workspaces } = spec;
  return {
    type: 'jwt',
    issuer,
    ...(jwksUri === undefined ? {} : { jwksUri }),
    ...(jwks === undefined ? {} : { jwks: keysOf(jwks) }),
    audiences,
    algorithms: [...(spec.algorithms ?? DEFAULT_ALGORITHMS)],
    clockSkewSeconds,
    ...(maxLifetimeMinutes === undefined ? {} : { maxLifetimeSeconds: maxLifetimeMinutes * 60 }),
    ...(organisation === undefined ? {} : { organisation }),
    ...(workspaces === undefined ? {} : { workspaces }),
    ...(spec.defaultWorkspaceRef === undefined ? {} : { defaultWorkspace: spec.defaultWorkspaceRef.name }),
    scopes: (spec.scopes ?? MOST_SCOPES).map(canonicalScope),
    defaultScopes: (spec.defaultScopes ?? []).map(canonicalScope),
    ...(spec.claims === undefined ? {} : { claims: spec.claims }),
    allowLimitClaims: spec.allowLimitClaims,
    rateLimits: [...(spec.rateLimits ?? [])],
  };
}

function keysOf(jwks: string): PublicJwk[] {
  const read = parseJwks(jwks);
  return read.ok ? [...read.value] : []; // the resource was refused for it
}

/**
 * Workspaces that do not exist: tokens that name them are refused, all others work. And an issuer that the one of the cluster
 * replaces.
 */
export function issuerFindings(
  issuers: readonly JwtIssuer[] = [],
  cluster: ClusterIssuer | undefined,
  view: Pick<Lookups, 'exists'>,
): readonly Finding[] {
  return issuers.flatMap(({ issuer, workspaces = [], defaultWorkspaceRef }, i) => {
    const place = ['spec', 'jwtIssuers', i] as const;
    if (issuer === cluster?.issuer) return [notPermitted([...place, 'issuer'], REPLACED, 'serve')];
    const named = [
      ...workspaces.map((name, j) => ({ name, path: [...place, 'workspaces', j] })),
      ...(defaultWorkspaceRef === undefined
        ? []
        : [{ name: defaultWorkspaceRef.name, path: [...place, 'defaultWorkspaceRef', 'name'] }]),
    ];
    return named
      .filter(({ name }) => !view.exists('Workspace', '', name))
      .map(({ name, path }) =>
        missing(path, `the Workspace ${name} does not exist`, 'serve', [verdictKey('Workspace', name)]),
      );
  });
}
