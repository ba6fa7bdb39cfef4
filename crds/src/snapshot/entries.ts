/**
 * The entries of a Snapshot, which is the only thing that operator and gateway share. Bodies are loose objects, so that a gateway
 * keeps fields of a newer minor version that it does not know.
 */
import { z } from 'zod';
import { credentialsIn, deployment, type RoutingNode } from '../config/index.ts';
import { nodeUsesPodIdentity } from '../providers/index.ts';
import { guardrailBody } from './guardrail-body.ts';
import { partialBody, partialVersionBody, promptBody, promptVersionBody } from './prompt-bodies.ts';
import { reach } from './reach.ts';

const stringMap = z.record(z.string(), z.string());

/** One limit per window. `unit`: requests or tokens per second, minute, hour, day or week. */
export const rateLimit = z.looseObject({
  type: z.enum(['requests', 'tokens']),
  unit: z.enum(['rps', 'rpm', 'rph', 'rpd', 'rpw']),
  value: z.int().min(1),
});

/** One budget. Amounts are integers: nano-dollars (10^-9 US dollars), tokens or requests, by type. */
export const usageLimit = z.looseObject({
  /** Identifies the budget among those of its owner. */
  name: z.string(),
  type: z.enum(['cost', 'tokens', 'requests']),
  limit: z.int().min(1),
  /** The use at which one notice is sent; below `limit`. */
  alertAt: z.int().min(0).optional(),
  /** Every Monday, every 1st of the month, or every so many days, at 00:00 UTC; absent: the budget is never reset. */
  reset: z
    .looseObject({ period: z.enum(['weekly', 'monthly']).optional(), days: z.int().min(1).optional() })
    .optional(),
  /** RFC 3339, 00:00 UTC: the first reset. */
  firstResetAt: z.string().optional(),
  /** RFC 3339: one more reset, beside those of `reset`. */
  resetAt: z.string().optional(),
  /** Of a policy: further resets of single groups, RFC 3339. */
  groupResets: z.array(z.looseObject({ group: z.string(), at: z.string() })).optional(),
});

export type RateLimitBody = z.output<typeof rateLimit>;
export type UsageLimitBody = z.output<typeof usageLimit>;

/** Limits of an owner; a request must pass all of them. */
const limits = { rateLimits: z.array(rateLimit).optional(), usageLimits: z.array(usageLimit).optional() };

const defaults = z.looseObject({
  metadata: stringMap.optional(),
  /** Slug of a saved config. */
  config: z.string().optional(),
});

/** What the request log keeps beside rows: docs/behaviour/request-logs.md#documents. */
const logging = z.looseObject({
  /** What a newer version may say here keeps nothing. Absent: nothing is said. */
  bodies: z.enum(['all', 'failed', 'none']).catch('none').optional(),
  /** Of the organisation: neither workspaces nor requests say otherwise. */
  enforced: z.literal(true).optional(),
});

const organisationLogging = logging.extend({
  /** How long rows and documents are kept, in days; absent: as long as gateways are set to. */
  retentionDays: z.int().min(1).optional(),
});

export const organisationBody = z.looseObject({
  /** Only saved configs and managed providers are accepted: docs/behaviour/requests.md#saved-configs-only. */
  savedConfigsOnly: z.boolean(),
  /** Header names, lower case, masked in every log. */
  headersToMask: z.array(z.string()),
  logging: organisationLogging.optional(),
  /** The workspace for requests with keys of the organisation. */
  defaultWorkspace: z.string().optional(),
  /** Slugs of guardrails of the organisation, which check every request and every answer; see `exemptInputGuardrails`. */
  inputGuardrails: z.array(z.string()).optional(),
  outputGuardrails: z.array(z.string()).optional(),
});

/** A ServiceAccount whose tokens act in the workspace. */
export const workloadIdentity = z.looseObject({
  namespace: z.string(),
  serviceAccount: z.string(),
  /** Of the ServiceAccount: tokens of one that was deleted are refused. Absent: it is not known. */
  uid: z.string().optional(),
  scopes: z.array(z.string()),
  rateLimits: z.array(rateLimit).optional(),
});

/** Pods whose tokens act in the workspace where no `workloadIdentities` of any workspace name their ServiceAccount. */
export const sidecarIdentity = z.looseObject({ namespace: z.string(), scopes: z.array(z.string()) });

export const workspaceBody = z.looseObject({
  displayName: z.string().optional(),
  savedConfigsOnly: z.boolean(),
  /** As those of the organisation, for requests in the workspace. */
  headersToMask: z.array(z.string()).optional(),
  logging: logging.optional(),
  defaults: defaults.extend({
    /** Slugs of guardrails, which follow those of the organisation. */
    inputGuardrails: z.array(z.string()).optional(),
    outputGuardrails: z.array(z.string()).optional(),
  }),
  ...limits,
  workloadIdentities: z.array(workloadIdentity).optional(),
  sidecarIdentity: sidecarIdentity.optional(),
  /** The guardrails of the organisation do not apply. */
  exemptInputGuardrails: z.literal(true).optional(),
  exemptOutputGuardrails: z.literal(true).optional(),
});

/** `scopes`: `resource.action` or `resource:action`. */
export const keyBody = z.looseObject({
  name: z.string(),
  /** SHA-256 of each valid secret of the key, lower-case hex. */
  sha256: z.array(z.string().length(64)).min(1),
  /** One more secret, which is valid until `expiresAt` (RFC 3339) by the gateway's own clock. */
  previous: z.looseObject({ sha256: z.string().length(64), expiresAt: z.string() }).optional(),
  scopes: z.array(z.string()),
  defaults: defaults.extend({ allowConfigOverride: z.boolean() }),
  ...limits,
  rateLimits: z.array(rateLimit),
  /** RFC 3339; compared with the gateway's own clock. */
  expiresAt: z.string().optional(),
  /** As those of the organisation, for requests with the key. */
  headersToMask: z.array(z.string()).optional(),
  /** The person who owns a user key, recorded as `_user`. */
  user: z.string().optional(),
});

/** What an IntegrationAccess grants to a workspace. Its limits are counted for each workspace. */
export const access = z.looseObject({
  /** Name of the IntegrationAccess. */
  name: z.string(),
  /** `*`: every workspace that has no IntegrationAccess of its own. */
  workspace: z.string(),
  ...limits,
});

export type AccessBody = z.output<typeof access>;
const usd = z.string().regex(/^\d{1,12}(\.\d{1,9})?$/, 'a decimal number');

/** US dollars per million tokens, as decimals, by the names of the Kinds. */
export const tokenPricesBody = z.looseObject({
  request: usd.optional(),
  response: usd.optional(),
  cacheReadInput: usd.optional(),
  cacheWriteInput: usd.optional(),
  requestAudio: usd.optional(),
  responseAudio: usd.optional(),
  cacheReadAudioInput: usd.optional(),
  requestText: usd.optional(),
  requestImage: usd.optional(),
  cachedTextInput: usd.optional(),
  cachedImageInput: usd.optional(),
  responseText: usd.optional(),
});

export type TokenPrices = z.output<typeof tokenPricesBody>;

/** The price of a model, which stands before that of the bundled catalogue. US dollars as decimals. */
export const priceBody = z.looseObject({
  /** Provider id of the catalogue. */
  provider: z.string(),
  /** `default`: all models without a price. */
  model: z.string(),
  usdPerMillionTokens: tokenPricesBody.optional(),
  usdPerRequest: usd.optional(),
  images: z.array(z.looseObject({ quality: z.string(), size: z.string(), usd })).optional(),
  additionalUnits: z.array(z.looseObject({ name: z.string(), usd })).optional(),
  /** Absent, as a whole or a price of it: half of the other price. */
  batchUsdPerMillionTokens: tokenPricesBody.optional(),
  finetuneUsdPerMillionTokens: usd.optional(),
  finetuneUsdPerHour: usd.optional(),
});

export type PriceBody = z.output<typeof priceBody>;

/** An account at a provider, named by `@slug` or `x-gw-virtual-key`. */
export const providerBody = z.looseObject({
  slug: z.string(),
  /** Provider id of the catalogue. */
  provider: z.string(),
  /** Id of the credential entry. */
  credential: z.string().optional(),
  settings: stringMap,
  customHost: z.string().optional(),
  /** Sent with every call in place of the provider's own. Values are secrets: only older operators write them here. */
  headers: stringMap,
  deployments: z.array(deployment),
  expiresAt: z.string().optional(),
  /** Models that may be used; absent: all. */
  models: z.array(z.string()).optional(),
  /** For a provider of the organisation: the workspaces that may use it, `*` for all. */
  grants: z.array(z.string()).optional(),
  /** Names of models for people, by model. The models that the account lists where it does not restrict them. */
  modelNames: stringMap.optional(),
  /** Base URLs of models with a host of their own, by model. */
  modelHosts: stringMap.optional(),
  /** The models whose prices apply, by model. */
  baseModels: stringMap.optional(),
  /** What the account says of models beside their names. */
  modelMarks: z.record(z.string(), z.array(z.string())).optional(),
  /** An overload error in the first event of a stream counts as HTTP 529: docs/behaviour/streams.md. Absent: as the gateway is set. */
  inspectStreamForOverload: z.boolean().optional(),
  /** In a sidecar: the credential belongs to the organisation and is not part of the sidecar's Snapshot. */
  needsFleet: z.boolean().optional(),
  /** `All`: proxied calls may also reach administrative paths; absent or another value: only those of the data plane. */
  proxyPaths: z.string().optional(),
  /** The settings use the identity of the gateway's pod, and the organisation grants it. */
  ownIdentity: z.boolean().optional(),
  reach: reach.optional(),
  ...limits,
  /** How workspaces came by an account of the organisation; absent where none of the grants has limits. */
  accesses: z.array(access).optional(),
  /** By model: prices that come before all others. */
  prices: z.record(z.string(), tokenPricesBody).optional(),
  /** A decimal, for prices that are not in `prices`. */
  priceMultiplier: usd.optional(),
});

/** The secrets of an account or of a guardrail's check. */
export const credentialBody = z.looseObject({
  /** Secret fields of the provider by their catalogue name, or fields of the check's credential. */
  fields: stringMap,
  /** Custom headers of the account by name. */
  headers: stringMap.optional(),
  /** Headers of single models by model and name; they are added to those of the account. */
  modelHeaders: z.record(z.string(), stringMap).optional(),
  /** Parameters of a guardrail's check that may be secret, as JSON by name. */
  parameters: stringMap.optional(),
});

/** A saved config. Its node has been checked; credentials are ids of credential entries. */
export const configBody = z.looseObject({
  slug: z.string(),
  /** Changes with the content; part of the keys of sticky choices and circuit breakers. */
  version: z.string(),
  node: z.custom<RoutingNode>((value) => typeof value === 'object' && value !== null),
  /** In a sidecar: ids of credentials of the node that belong to the organisation and are not part of the sidecar's Snapshot. */
  needsFleet: z.array(z.string()).optional(),
  reach: reach.optional(),
});

/**
 * A RateLimitPolicy (`rate`) or UsageLimitPolicy (`usage`): a limit of the requests that match all conditions, counted for each
 * combination of the values of `groupBy`. One of the organisation holds in every workspace, with counters for all of them.
 */
export const policyBody = z.looseObject({
  name: z.string(),
  conditions: z.array(
    z.looseObject({
      /** `metadata.NAME` or a property of the request: docs/behaviour/limits.md#policies. */
      key: z.string(),
      /** Any of them; `*` is any value. */
      values: z.array(z.string()).optional(),
      /** None of them; compared first. */
      excludes: z.array(z.string()).optional(),
    }),
  ),
  groupBy: z.array(z.looseObject({ key: z.string() })),
  rate: rateLimit.optional(),
  usage: usageLimit.optional(),
});

/** The SidecarProfile, which identifies the caller of a sidecar instead of a key. Only in Snapshots for sidecars. */
export const sidecarBody = z.looseObject({
  /** Name of the profile. */
  name: z.string(),
  workspace: z.string(),
  scopes: z.array(z.string()),
  defaults: defaults.extend({ allowConfigOverride: z.boolean() }),
  /** The fleet that gets requests whose targets need credentials of the organisation; absent: they are refused. */
  fleet: z
    .looseObject({
      /** `https://host:port` of its listener. */
      url: z.string(),
      /** The certificate authority of the listener as PEM; absent: those of the system. */
      ca: z.string().optional(),
      /** It keeps a request log, and takes the rows of sidecars. */
      records: z.boolean().optional(),
    })
    .optional(),
});

/** A public signing key (RFC 7517). */
const jwk = z.looseObject({ kid: z.string(), kty: z.string() });

/** An issuer whose tokens are accepted in place of gateway keys. */
export const issuerBody = z.looseObject({
  /** `jwt`: of the organisation. `cluster`: of ServiceAccounts, see `workloadIdentities` of workspaces. Others are not served. */
  type: z.string(),
  /** The exact `iss` claim. */
  issuer: z.string(),
  /** Where the keys are fetched; absent: they are in `jwks`. */
  jwksUri: z.string().optional(),
  jwks: z.array(jwk).optional(),
  /** A token must have one of them. */
  audiences: z.array(z.string()).min(1),
  /** JWS algorithms with public keys. */
  algorithms: z.array(z.string()).min(1),
  clockSkewSeconds: z.int().min(0),
  /** From `iat` to `exp`; absent: any. */
  maxLifetimeSeconds: z.int().min(1).optional(),
  /** What the token must name; absent: its claim is not read. */
  organisation: z.string().optional(),
  /** Workspaces that tokens may name; absent: all. */
  workspaces: z.array(z.string()).optional(),
  /** Of tokens that name none. */
  defaultWorkspace: z.string().optional(),
  /** The most that a token may do. */
  scopes: z.array(z.string()),
  /** Of tokens without that claim. */
  defaultScopes: z.array(z.string()),
  /** Names of claims; absent: the usual ones. */
  claims: z
    .looseObject({
      organisation: z.string().optional(),
      workspace: z.string().optional(),
      scopes: z.string().optional(),
      user: z.string().optional(),
    })
    .optional(),
  /** Limits in the claims apply. */
  allowLimitClaims: z.boolean(),
  /** Of each subject. */
  rateLimits: z.array(rateLimit),
});

/** The audience of ServiceAccount tokens for gateways. */
export const GATEWAY_AUDIENCE = 'gatehouse.dev/gateway';

/** The key that SDKs get which require one; a sidecar treats it as no key. */
export const SIDECAR_PLACEHOLDER_KEY = 'provided-by-gatehouse';

/** The schema of each entry kind's body. */
export const ENTRY_BODIES = {
  organisation: organisationBody,
  workspace: workspaceBody,
  key: keyBody,
  provider: providerBody,
  credential: credentialBody,
  config: configBody,
  guardrail: guardrailBody,
  policy: policyBody,
  prompt: promptBody,
  promptVersion: promptVersionBody,
  partial: partialBody,
  partialVersion: partialVersionBody,
  sidecar: sidecarBody,
  price: priceBody,
  issuer: issuerBody,
} as const;

export type EntryKind = keyof typeof ENTRY_BODIES;
export type EntryBody<K extends EntryKind> = z.output<(typeof ENTRY_BODIES)[K]>;

/** Kinds whose entries contain secrets or data derived from them: published in Secrets, never printed. */
export const SECRET_ENTRY_KINDS: ReadonlySet<EntryKind> = new Set<EntryKind>(['key', 'credential']);

export interface SnapshotEntry<K extends EntryKind = EntryKind> {
  readonly kind: K;
  /** Unique within the Snapshot: `kind/workspace/name`, with an empty workspace for the organisation. */
  readonly id: string;
  /** The workspace that owns the entry; null for the organisation. */
  readonly workspace: string | null;
  /** Generation of the object the entry comes from. */
  readonly generation: number;
  /** SHA-256 of the canonical JSON of the body. */
  readonly digest: string;
  /** The object has become invalid; this is its last valid content. */
  readonly stale?: true;
  readonly body: EntryBody<K>;
}

export type AnyEntry = { [K in EntryKind]: SnapshotEntry<K> }[EntryKind];

/**
 * Whether a config belongs to the organisation and contains credentials or uses the identity of the gateway's pod. Naming such a
 * config does not grant these to a workspace, so it is used only where the organisation names it.
 */
export const isOrganisationOnly = ({ workspace, body }: Pick<SnapshotEntry<'config'>, 'workspace' | 'body'>): boolean =>
  workspace === null && (credentialsIn(body.node).length > 0 || usesIdentity(body.node));

const usesIdentity = ({ provider, settings, credential, targets = [] }: RoutingNode): boolean =>
  nodeUsesPodIdentity({ provider, settings, hasCredential: credential !== undefined }) || targets.some(usesIdentity);

/** The id of an entry. */
export function entryId(kind: EntryKind, workspace: string | null, name: string): string {
  return `${kind}/${workspace ?? ''}/${name}`;
}
