/**
 * What a Snapshot holds: the only thing operator and gateway share (DESIGN section 5). Bodies are loose, so that a
 * gateway keeps fields of a newer minor version it does not know.
 */
import { z } from 'zod';
import { credentialsIn, deployment, type RoutingNode } from '../config/index.ts';
import { nodeUsesPodIdentity } from '../providers/index.ts';

const stringMap = z.record(z.string(), z.string());

/** One request-count limit of a key. `unit`: requests per second, minute, hour, day or week. */
export const rateLimit = z.looseObject({
  type: z.literal('requests'),
  unit: z.enum(['rps', 'rpm', 'rph', 'rpd', 'rpw']),
  value: z.int().min(1),
});

const defaults = z.looseObject({
  metadata: stringMap.optional(),
  /** Slug of a saved config. */
  config: z.string().optional(),
});

export const organisationBody = z.looseObject({
  /** Only saved configs and managed providers are accepted (lifecycle 1.7 rule 10). */
  savedConfigsOnly: z.boolean(),
  /** Header names, lower case, masked in every log. */
  headersToMask: z.array(z.string()),
  /** The workspace the admin key runs inference in (decision 31). */
  defaultWorkspace: z.string().optional(),
});

export const workspaceBody = z.looseObject({
  displayName: z.string().optional(),
  savedConfigsOnly: z.boolean(),
  defaults,
});

/** Which API an entry of `scopes` opens is spelled `resource.action`; a colon is the same separator. */
export const keyBody = z.looseObject({
  name: z.string(),
  /** SHA-256 of each live secret of the key, lower-case hex. */
  sha256: z.array(z.string().length(64)).min(1),
  scopes: z.array(z.string()),
  defaults: defaults.extend({ allowConfigOverride: z.boolean() }),
  rateLimits: z.array(rateLimit),
  /** RFC 3339; the gateway's own clock decides. */
  expiresAt: z.string().optional(),
  /** The person behind a user key, recorded as `_user`. */
  user: z.string().optional(),
});

/**
 * Where the hosts that a workspace's resource names may lead, beyond public addresses and what the fleet trusts. Absent: anywhere
 * inside the cluster, as for resources of the organisation.
 */
export const reach = z.looseObject({
  /** Private hosts that the organisation opens to the workspace: names with everything below them, and IP addresses. */
  allowed: z.array(z.string()),
  /** Services of the workspace's own namespace. */
  services: z.array(
    z.looseObject({
      /** As the resource spells it, in lower case. */
      host: z.string(),
      port: z.int(),
      /** Its pods, `ADDRESS:PORT`, an IPv6 address in brackets. */
      endpoints: z.array(z.string()),
    }),
  ),
});

export type ReachBody = z.output<typeof reach>;

/** A managed provider: what `@slug` and `x-gw-virtual-key` name. */
export const providerBody = z.looseObject({
  slug: z.string(),
  /** Provider id of the catalogue. */
  provider: z.string(),
  /** Id of the credential entry. */
  credential: z.string().optional(),
  settings: stringMap,
  customHost: z.string().optional(),
  /** Sent with every call, over the provider's own headers. Values are secrets: only older operators write them here. */
  headers: stringMap,
  deployments: z.array(deployment),
  expiresAt: z.string().optional(),
  /** Models that may be used; absent = all. */
  models: z.array(z.string()).optional(),
  /** For an organisation-level provider: the workspaces that may use it, `*` for every one. */
  grants: z.array(z.string()).optional(),
  /** An overload in the first event of a stream counts as HTTP 529 (behaviour-streaming 8.4). */
  inspectStreamForOverload: z.boolean().optional(),
  /** In a sidecar: the credential is the organisation's and stays with the fleet. */
  needsFleet: z.boolean().optional(),
  /** `All`: proxied calls reach administrative paths, too; absent or anything else: those of the data plane. */
  proxyPaths: z.string().optional(),
  /** The settings ask for the identity of the gateway's pod, and the organisation lends it. */
  ownIdentity: z.boolean().optional(),
  reach: reach.optional(),
});

/** What is secret of an account. */
export const credentialBody = z.looseObject({
  /** Secret fields of the provider by their catalogue name. */
  fields: stringMap,
  /** Custom headers of the account by name. */
  headers: stringMap.optional(),
});

/** A saved config. Its node has been checked; credentials are ids of credential entries. */
export const configBody = z.looseObject({
  slug: z.string(),
  /** Changes whenever the content does; sticky choices and breaker state hang on it. */
  version: z.string(),
  node: z.custom<RoutingNode>((value) => typeof value === 'object' && value !== null),
  /** In a sidecar: ids of the credentials named by the node that are the organisation's and stay with the fleet. */
  needsFleet: z.array(z.string()).optional(),
  reach: reach.optional(),
});

/** Who calls through a sidecar, in place of a key: its SidecarProfile. Only in Snapshots for sidecars. */
export const sidecarBody = z.looseObject({
  /** Name of the profile. */
  name: z.string(),
  workspace: z.string(),
  scopes: z.array(z.string()),
  defaults: defaults.extend({ allowConfigOverride: z.boolean() }),
});

/** What SDKs that insist on a key send to a sidecar: it stands for no key at all. */
export const SIDECAR_PLACEHOLDER_KEY = 'provided-by-gatehouse';

/** The schema of each entry kind's body. */
export const ENTRY_BODIES = {
  organisation: organisationBody,
  workspace: workspaceBody,
  key: keyBody,
  provider: providerBody,
  credential: credentialBody,
  config: configBody,
  sidecar: sidecarBody,
} as const;

export type EntryKind = keyof typeof ENTRY_BODIES;
export type EntryBody<K extends EntryKind> = z.output<(typeof ENTRY_BODIES)[K]>;

/** Kinds whose entries hold secrets or what is derived from them: published in Secrets, never printed. */
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
  /** The object has become invalid since; this is its last good content. */
  readonly stale?: true;
  readonly body: EntryBody<K>;
}

export type AnyEntry = { [K in EntryKind]: SnapshotEntry<K> }[EntryKind];

/**
 * Whether a config is the organisation's and brings credentials of its own, or the identity of the gateway's pod: nobody has
 * granted these to a workspace that merely names the config, so that it is only used where the organisation names it.
 */
export const isOrganisationOnly = ({ workspace, body }: Pick<SnapshotEntry<'config'>, 'workspace' | 'body'>): boolean =>
  workspace === null && (credentialsIn(body.node).length > 0 || usesIdentity(body.node));

const usesIdentity = ({ provider, settings, credential, targets = [] }: RoutingNode): boolean =>
  nodeUsesPodIdentity({ provider, settings, hasCredential: credential !== undefined }) || targets.some(usesIdentity);

/** The id of an entry. */
export function entryId(kind: EntryKind, workspace: string | null, name: string): string {
  return `${kind}/${workspace ?? ''}/${name}`;
}
