/** Issuers of the Organisation as entries of the Snapshot, and what is wrong with them. */
import { canonicalScope, type Organisation, type PublicJwk, parseJwks, SCOPES } from '@gatehouse/crds/kinds';
import { type EntryDraft, type Finding, type Lookups, missing, verdictKey } from '../../types/index.ts';

type JwtIssuer = NonNullable<Organisation['spec']['jwtIssuers']>[number];
type IssuerDraft = Extract<EntryDraft, { kind: 'issuer' }>;

/** What keys of type workspace-service may do: a token never does more. */
const MOST_SCOPES: readonly string[] = [...SCOPES]
  .filter(([, types]) => types.includes('workspace-service'))
  .map(([scope]) => scope);

const DEFAULT_ALGORITHMS: readonly string[] = ['RS256'];

export function issuerEntries(issuers: readonly JwtIssuer[] = []): readonly IssuerDraft[] {
  return issuers.map((issuer) => ({ kind: 'issuer', workspace: null, name: issuer.issuer, body: bodyOf(issuer) }));
}

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

/** Workspaces that do not exist: tokens that name them are refused, all others work. */
export function issuerFindings(issuers: readonly JwtIssuer[] = [], view: Pick<Lookups, 'exists'>): readonly Finding[] {
  return issuers.flatMap(({ workspaces = [], defaultWorkspaceRef }, i) => {
    const place = ['spec', 'jwtIssuers', i] as const;
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
