/** The Snapshot for the sidecars of a workspace, without keys and without credentials of the organisation. */
import { createHash } from 'node:crypto';
import { managedSlugOf, type RoutingNode, walkTargets } from '@gatehouse/crds/config';
import type { SidecarProfile } from '@gatehouse/crds/kinds';
import {
  type AnyEntry,
  digestOf,
  type EntryBody,
  entryId,
  SCHEMA_VERSION,
  type Snapshot,
} from '@gatehouse/crds/snapshot';
import { defaultConfigs, SIDECAR_SCOPES, snapshotForWorkspaces, visibleToTenants } from '../rules/shared/index.ts';

/** A Snapshot with a number derived from its content; see `SnapshotFrame` in crds/src/snapshot. */
export interface SidecarSnapshot extends Snapshot {
  readonly version: number;
}

/** Where the sidecars of a profile reach the fleet that they pass requests on to. */
export type FleetAddress = NonNullable<EntryBody<'sidecar'>['fleet']>;

/** The fleet of each profile; undefined: it has none. */
export type FleetOfProfile = (profile: SidecarProfile) => FleetAddress | undefined;

const NO_FLEET: FleetOfProfile = () => undefined;

/**
 * The entries of one workspace and what the organisation grants to it. Credentials of the organisation are left out; entries
 * that need one are marked `needsFleet`. Keys and issuers of tokens are left out, since the profile is the identity of every request to a sidecar.
 * `profiles` are those in the workspace's namespace.
 */
export function sidecarSnapshot(
  snapshot: Snapshot,
  workspace: string,
  profiles: readonly SidecarProfile[],
  fleetOf: FleetOfProfile = NO_FLEET,
): SidecarSnapshot {
  const workspaces = new Set([workspace]);
  const entries = [
    ...visibleToTenants(snapshotForWorkspaces(snapshot, workspaces).entries, workspaces).filter(
      ({ kind }) => kind !== 'key' && kind !== 'issuer',
    ),
    ...profiles.map((profile) => toEntry(profile, workspace, fleetOf(profile))),
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { schemaVersion: snapshot.schemaVersion, version: versionOf(entries), entries };
}

function toEntry({ metadata, spec }: SidecarProfile, workspace: string, fleet: FleetAddress | undefined): AnyEntry {
  const { name, generation = 0 } = metadata;
  const { metadata: laidOver, configRef, allowConfigOverride = true } = spec.defaults ?? {};
  const body: EntryBody<'sidecar'> = {
    name,
    workspace,
    scopes: [...SIDECAR_SCOPES],
    defaults: {
      ...(laidOver === undefined ? {} : { metadata: laidOver }),
      ...(configRef === undefined ? {} : { config: configRef.name }),
      allowConfigOverride,
    },
    ...(fleet === undefined ? {} : { fleet }),
  };
  return {
    kind: 'sidecar',
    id: entryId('sidecar', workspace, name),
    workspace,
    generation,
    digest: digestOf(body),
    body,
  };
}

/** 48 bits of a hash: a JSON number holds 53 bits, and all replicas compute the same. */
function versionOf(entries: readonly AnyEntry[]): number {
  const hash = createHash('sha256');
  for (const { id, digest, generation, stale = false } of entries)
    hash.update(`${id} ${digest} ${generation} ${stale}\n`);
  return hash.digest().readUIntBE(0, 6);
}

/**
 * For a namespace that belongs to no workspace, has no profile or is not labelled for injection: replaces whatever its sidecars
 * had.
 */
export const EMPTY_SNAPSHOT: SidecarSnapshot = { schemaVersion: SCHEMA_VERSION, version: versionOf([]), entries: [] };

/**
 * What sidecars refuse with `NeedsFleet`, among what the workspace owns or uses by default: `Provider/x` and `GatewayConfig/y`,
 * sorted.
 */
export function fleetNeeds({ entries }: SidecarSnapshot): readonly string[] {
  const providers = entries.filter((entry) => entry.kind === 'provider');
  const own = new Set(providers.filter(({ workspace }) => workspace !== null).map(({ body }) => body.slug));
  // The workspace's own provider wins over one of the organisation with the same slug.
  const refused = providers.filter(
    ({ workspace, body }) => body.needsFleet === true && (workspace !== null || !own.has(body.slug)),
  );
  const slugs = new Set(refused.map(({ body }) => body.slug));
  const named = defaultConfigs(entries);
  const configs = entries
    .filter((entry) => entry.kind === 'config')
    .filter(({ workspace, body }) => workspace !== null || named.has(body.slug))
    .filter(({ body }) => body.needsFleet !== undefined || namesAny(body.node, slugs));
  return [
    ...refused.filter(({ workspace }) => workspace !== null).map(({ body }) => `Provider/${body.slug}`),
    ...configs.map(({ body }) => `GatewayConfig/${body.slug}`),
  ].sort();
}

function namesAny(root: RoutingNode, slugs: ReadonlySet<string>): boolean {
  let found = false;
  walkTargets(root, [], (node) => {
    const slug = managedSlugOf(node);
    if (slug !== undefined && slugs.has(slug)) found = true;
  });
  return found;
}
