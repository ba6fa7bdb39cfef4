/** Parameters of the check of tokens: docs/behaviour/guardrails.md#checks-of-tokens. */
import { z } from 'zod';
import { isObject } from '../../lib/result.ts';
import { PROVIDER_CATALOGUE } from '../../providers/index.ts';
import { atomicList, httpUrl, int, opaque, pattern, text } from '../../schema/index.ts';
import { defineCheckEntry } from '../check.ts';
import { expectedValues, matchType, patternsOf, problemOfValues } from './matched-values.ts';

const MAX_KEYS = 64;
const MAX_CLAIMS = 64;
const MAX_CLAIM = 256;
/** In seconds: a year. */
const MAX_AGE = 31_536_000;

/** Signatures with a pair of keys (RFC 7518, RFC 8037): with a shared secret whoever checks tokens could make them. */
export const JWT_ALGORITHMS = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'] as const),
  ...(['EdDSA', 'Ed25519'] as const),
] as const;

/** Members of private and shared keys (RFC 7518, section 6). */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const holdsSecret = (jwk: unknown): boolean => isObject(jwk) && SECRET_MEMBERS.some((name) => Object.hasOwn(jwk, name));

const DURATION =
  /^[0-9]{1,9}(\.[0-9]{1,6})? ?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|y|yrs?|years?)?$/;

const claims = (description: string) => atomicList(z.string().min(1).max(MAX_CLAIM), description, MAX_CLAIMS);

const DEFAULT_PREFIX = 'x-jwt-';
const PREFIX = /^x-[a-z0-9-]*[a-z0-9]-$/i;
/** What gateways, proxies and clouds act on. */
const REFUSED_START =
  /^x-(?:gw|portkey|forwarded|original|rewrite|http|method|host|real|client|cluster|remote|proxyuser|originating|amz|amzn|aws|goog|google|ms|azure|envoy|identity|impersonate|consumer|auth|api)(?:-|$)/;
/** What may hold a credential; below the default prefix names mean nothing to anybody else. */
const REFUSED_WORDS =
  /-(?:key|auth|authorization|authentication|bearer|secret|password|credentials?|token|jwt|assertion|session|cookie)(?:-|$)/;
const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set(
  [...PROVIDER_CATALOGUE.values()].flatMap(({ fields }) =>
    fields.flatMap(({ header }) => (header === undefined ? [] : [header])),
  ),
);

/**
 * The name of the header that carries a claim; undefined for names that others act on: credentials, headers of this and other
 * gateways, of proxies and of clouds.
 */
export function claimHeader(prefix: string, claim: string): string | undefined {
  const name = `${prefix}${claim}`.toLowerCase().replace(/[^a-z0-9-]+/g, '-');
  if (name.startsWith(DEFAULT_PREFIX)) return name;
  if (!PREFIX.test(prefix) || REFUSED_START.test(name) || REFUSED_WORDS.test(name)) return undefined;
  return CREDENTIAL_HEADERS.has(name) ? undefined : name;
}

const claimValue = z.strictObject({
  values: expectedValues('values are expected in the claim: one or several.'),
  matchType,
});

const parameters = z
  .strictObject({
    jwks: z
      .looseObject({
        keys: atomicList(
          opaque('A public key.', 32).refine((jwk) => !holdsSecret(jwk), {
            error: 'expected a public key: this one holds a private or shared secret',
          }),
          'keys are the public keys.',
          MAX_KEYS,
        ),
      })
      .optional()
      .meta({ description: 'jwks is the key set of the issuer (RFC 7517).' }),
    jwksUri: httpUrl('jwksUri is where the issuer publishes its key set.').optional(),
    introspectEndpoint: httpUrl(
      'introspectEndpoint is asked whether a token is good (RFC 7662), instead of checking its signature.',
    ).optional(),
    headerKey: pattern(/^[A-Za-z0-9-]+$/, 'the name of a header', 128)
      .default('Authorization')
      .meta({ description: 'headerKey is the header with the token; Bearer in front of it is optional.' }),
    algorithms: z
      .array(z.enum(JWT_ALGORITHMS))
      .min(1)
      .max(JWT_ALGORITHMS.length)
      .default(['RS256'])
      .meta({ description: 'algorithms are the accepted algorithms of signatures.', listType: 'atomic' }),
    cacheMaxAge: int('cacheMaxAge is how long a fetched key set is used, in seconds.', 1, MAX_AGE).default(86_400),
    clockTolerance: int('clockTolerance is how far clocks may differ, in seconds.', 0, 3_600).default(5),
    maxTokenAge: pattern(DURATION, 'a time like 1d, 12h or 3600', 24)
      .default('1d')
      .meta({
        description:
          'maxTokenAge is the longest time since a token was issued (iat), in seconds or with a unit such as s, m, h or d; ' +
          'tokens without iat are not limited.',
      }),
    introspectContentType: z
      .enum(['application/x-www-form-urlencoded', 'application/json'])
      .default('application/x-www-form-urlencoded')
      .meta({ description: 'introspectContentType is how the token is sent to introspectEndpoint.' }),
    introspectCacheMaxAge: int(
      'introspectCacheMaxAge is how long a good answer of introspectEndpoint is used, in seconds, and never beyond the expiry ' +
        'of the token; without it every request asks.',
      1,
      MAX_AGE,
    ).optional(),
    requiredClaims: claims('requiredClaims must be in the token, and not null.').default([]),
    claimValues: z
      .record(z.string().min(1).max(MAX_CLAIM), claimValue)
      .refine((value) => Object.keys(value).length <= MAX_CLAIMS, { error: `at most ${MAX_CLAIMS} claims` })
      .default({})
      .meta({ description: 'claimValues are expected values by claim.', maxProperties: MAX_CLAIMS }),
    headerPayloadMatch: claims(
      'headerPayloadMatch are names whose values must be equal in header and payload of the token.',
    ).default([]),
    extractClaims: claims('extractClaims are sent to the provider as headers.').default([]),
    claimPrefix: text('claimPrefix begins the names of these headers.', 64).default(DEFAULT_PREFIX),
  })
  .superRefine((value, context) => {
    const issue = (path: (string | number)[], message: string): void =>
      context.addIssue({ code: 'custom', path, message });
    if (value.jwks === undefined && value.jwksUri === undefined && value.introspectEndpoint === undefined) {
      issue(['jwks'], 'expected one of jwks, jwksUri and introspectEndpoint');
    }
    for (const [i, claim] of value.extractClaims.entries()) {
      if (claimHeader(value.claimPrefix, claim) !== undefined) continue;
      issue(
        ['extractClaims', i],
        'this name of a header may not be set; use a claimPrefix of your own such as x-jwt- or x-user-',
      );
    }
    for (const [claim, expected] of Object.entries(value.claimValues)) {
      const problem = problemOfValues(expected);
      if (problem !== undefined) issue(['claimValues', claim, 'values'], problem);
    }
  });

export const jwt = defineCheckEntry({
  id: 'default.jwt',
  summary: 'Passes when a header of the client carries a good token of an issuer, with the claims that are expected.',
  phases: ['input'],
  parameters,
  credential: {
    fields: [
      {
        name: 'clientId',
        description: 'clientId names this gateway to introspectEndpoint (HTTP Basic).',
        secret: false,
        required: false,
      },
      {
        name: 'clientSecret',
        description: 'clientSecret authenticates this gateway to introspectEndpoint.',
        secret: true,
        required: false,
      },
    ],
  },
  addressParameters: ['introspectEndpoint'],
  patterns: ({ claimValues }) => Object.values(claimValues).flatMap(patternsOf),
  callsOut: true,
  transforms: true,
  quotes: [],
});

export const JWT_CHECKS = [jwt] as const;
