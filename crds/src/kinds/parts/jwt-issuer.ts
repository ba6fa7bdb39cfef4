/** Issuers whose JSON Web Tokens are accepted in place of API keys: docs/behaviour/identity.md. */
import { z } from 'zod';
import { createSuggestions } from '../../lib/suggestions.ts';
import {
  flag,
  HTTP_URL,
  httpUrl,
  int,
  mapList,
  objectName,
  pattern,
  type Rule,
  setList,
  text,
  withRules,
} from '../../schema/index.ts';
import { parseJwks } from '../jwks.ts';
import { scopeProblem } from '../scopes.ts';
import { RATE_UNITS, rateLimits } from './limits.ts';
import { nameRef } from './refs.ts';

/** Signatures that can be checked with a public key (RFC 7518, RFC 8037, RFC 9864); a shared secret is never one. */
export const TOKEN_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const;

/** Longest key set in characters; most have a few thousand. */
const MAX_JWKS = 65_536;

const claimName = (description: string) => text(description, 256);

const claims = z
  .strictObject({
    organisation: claimName(
      'organisation is the claim with the organisation; absent: gw_oid, then organisation_id.',
    ).optional(),
    workspace: claimName(
      'workspace is the claim with the name of the Workspace; absent: gw_workspace, then workspace_slug.',
    ).optional(),
    scopes: claimName(
      'scopes is the claim with the scopes, as a list or separated by spaces; absent: scope, then scopes.',
    ).optional(),
    user: claimName('user is the claim that is recorded as _user; absent: email_id, then sub, then uid.').optional(),
  })
  .meta({ description: 'claims are the names of the claims that are read, in place of the usual ones.' });

const SCOPE = /^[a-z_]+[.:][a-z]+$/;
const scope = pattern(SCOPE, 'a scope like completions.write', 64);

/** Keys that no signature can be checked with. */
function refuseKeys(jwks: string, context: z.core.$RefinementCtx): void {
  if (jwks === '' || jwks.length > MAX_JWKS) return;
  const read = parseJwks(jwks);
  if (!read.ok) context.addIssue({ code: 'custom', message: read.error, path: [] });
}

/** A token acts as a key of a workspace, so that it can have the scopes of one. */
function refuseScopes(scopes: readonly string[], context: z.core.$RefinementCtx): void {
  const suggest = createSuggestions();
  for (const [i, name] of scopes.entries()) {
    const message = SCOPE.test(name) ? scopeProblem(name, 'workspace-service', suggest) : undefined;
    if (message !== undefined) context.addIssue({ code: 'custom', message, path: [i] });
  }
}

const fields = z.strictObject({
  issuer: text('issuer is the exact iss claim of the tokens.', 2048),
  jwksUri: httpUrl(
    'jwksUri is where the signing keys are published: https, or http to a Service of the cluster. Redirects are not followed.',
  ).optional(),
  jwks: text(
    'jwks are the public signing keys as JSON text, {"keys": [...]} (RFC 7517), where no URL publishes them.',
    MAX_JWKS,
  )
    .superRefine(refuseKeys)
    .meta({ webhookOnly: 'CEL cannot read JSON' })
    .optional(),
  audiences: setList(
    z.string().min(1).max(256),
    'audiences are the accepted aud claims: a token must have one of them.',
    16,
  ).min(1),
  algorithms: setList(
    z.enum(TOKEN_ALGORITHMS),
    'algorithms are the accepted signatures; absent: RS256.',
    TOKEN_ALGORITHMS.length,
  )
    .min(1)
    .optional(),
  clockSkewSeconds: int(
    'clockSkewSeconds is how far the clocks of issuer and gateway may differ: it is added on both sides of nbf and exp.',
    0,
    300,
  ).default(30),
  maxLifetimeMinutes: int(
    'maxLifetimeMinutes refuses tokens that are valid for longer than that after their iat, or have none; absent: any lifetime.',
    1,
    525_600,
  ).optional(),
  organisation: text(
    'organisation is the organisation that tokens must name; absent: their claim is not read.',
    256,
  ).optional(),
  workspaces: setList(
    objectName('A Workspace.'),
    'workspaces are the Workspaces that tokens may name; absent: all.',
    500,
  )
    .min(1)
    .optional(),
  defaultWorkspaceRef: nameRef(
    'defaultWorkspaceRef names the Workspace of tokens that name none; absent: these are refused.',
  ).optional(),
  scopes: setList(
    scope,
    'scopes are the most that a token may do; absent: what keys of type workspace-service may. What a token claims beyond them has no effect.',
    200,
  )
    .min(1)
    .superRefine(refuseScopes)
    .meta({ webhookOnly: 'CEL does not know the scopes' })
    .optional(),
  defaultScopes: setList(scope, 'defaultScopes are the scopes of tokens without that claim; absent: none.', 200)
    .superRefine(refuseScopes)
    .meta({ webhookOnly: 'CEL does not know the scopes' })
    .optional(),
  claims: claims.optional(),
  allowLimitClaims: flag(
    'allowLimitClaims true applies the rate_limits and usage_limits of a token to its subject; false ignores them.',
    false,
  ),
  rateLimits: rateLimits(RATE_UNITS).optional(),
});

const SAMPLE = { issuer: 'https://id.example', audiences: ['gateway'] };
const JWKS = '{"keys":[{"kid":"a","kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}';
const URI = 'https://id.example/keys';

/** Hosts to which keys may be fetched without TLS: inside the cluster or the machine. */
const PLAIN_HTTP = /^http:\/\/([a-z0-9.-]+\.svc(\.[a-z0-9.-]+)?|localhost|127\.0\.0\.1)(:[0-9]{1,5})?(\/.*)?$/;

const RULES: readonly Rule<z.output<typeof fields>>[] = [
  {
    cel: 'has(self.jwksUri) != has(self.jwks)',
    message: 'exactly one of jwksUri and jwks is needed',
    at: 'jwksUri',
    holds: ({ jwksUri, jwks: inline }) => (jwksUri === undefined) !== (inline === undefined),
    valid: [
      { ...SAMPLE, jwksUri: URI },
      { ...SAMPLE, jwks: JWKS },
    ],
    invalid: [SAMPLE, { ...SAMPLE, jwksUri: URI, jwks: JWKS }],
  },
  {
    cel: `!has(self.jwksUri) || self.jwksUri.startsWith('https://') || self.jwksUri.matches('${PLAIN_HTTP.source.replaceAll('\\', '\\\\')}')`,
    message: 'jwksUri must be https, or http to a Service of the cluster (NAME.NAMESPACE.svc)',
    at: 'jwksUri',
    holds: ({ jwksUri }) =>
      jwksUri === undefined || jwksUri.startsWith('https://') || !HTTP_URL.test(jwksUri) || PLAIN_HTTP.test(jwksUri),
    valid: [
      { ...SAMPLE, jwksUri: 'http://dex.auth.svc/keys' },
      { ...SAMPLE, jwksUri: 'http://dex.auth.svc.cluster.local:5556/keys' },
    ],
    invalid: [
      { ...SAMPLE, jwksUri: 'http://id.example/keys' },
      { ...SAMPLE, jwksUri: 'http://id.example/.svc' },
    ],
  },
  {
    cel: '!has(self.defaultWorkspaceRef) || !has(self.workspaces) || self.defaultWorkspaceRef.name in self.workspaces',
    message: 'defaultWorkspaceRef must be one of workspaces',
    at: 'defaultWorkspaceRef',
    holds: ({ defaultWorkspaceRef, workspaces }) =>
      defaultWorkspaceRef === undefined || workspaces === undefined || workspaces.includes(defaultWorkspaceRef.name),
    valid: [{ ...SAMPLE, jwksUri: URI, workspaces: ['a'], defaultWorkspaceRef: { name: 'a' } }],
    invalid: [{ ...SAMPLE, jwksUri: URI, workspaces: ['a'], defaultWorkspaceRef: { name: 'b' } }],
  },
];

/** Issuers by their `iss` claim. */
export const jwtIssuers = mapList(withRules(fields, RULES), ['issuer'], {
  description: 'jwtIssuers are issuers whose tokens are accepted in place of API keys, as keys of a workspace.',
  max: 16,
});
