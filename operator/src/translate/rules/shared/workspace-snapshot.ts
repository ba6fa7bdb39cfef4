/** The part of a Snapshot that a fleet or a sidecar of some workspaces may hold. */
import { credentialsIn } from '@gatehouse/crds/config';
import type { AnyEntry, Snapshot, SnapshotEntry } from '@gatehouse/crds/snapshot';
import { digestOf, entryId, isOrganisationOnly, SECRET_ENTRY_KINDS } from '@gatehouse/crds/snapshot';
import { ALL_WORKSPACES } from './integration-grants.ts';

/**
 * The Snapshot for a fleet that serves some workspaces only: their entries, what the organisation grants to any of them, and no
 * credential that none of these entries uses.
 */
export function snapshotForWorkspaces(snapshot: Snapshot, workspaces: ReadonlySet<string>): Snapshot {
  const own = snapshot.entries.filter((entry) => isServed(entry, workspaces));
  const used = new Set(own.flatMap(credentialsOf));
  const entries = own.filter(({ kind, id, workspace }) => kind !== 'credential' || workspace !== null || used.has(id));
  return { ...snapshot, entries };
}

function isServed(entry: AnyEntry, workspaces: ReadonlySet<string>): boolean {
  if (entry.workspace !== null) return workspaces.has(entry.workspace);
  if (entry.kind !== 'provider') return true;
  return (entry.body.grants ?? []).some((workspace) => workspace === ALL_WORKSPACES || workspaces.has(workspace));
}

/** Ids of the credentials that an entry names. */
export function credentialsOf(entry: AnyEntry): readonly string[] {
  if (entry.kind === 'provider') return entry.body.credential === undefined ? [] : [entry.body.credential];
  if (entry.kind === 'config') return credentialsIn(entry.body.node);
  if (entry.kind !== 'guardrail') return [];
  return entry.body.checks.flatMap(({ credential, parametersFrom }) => [credential, parametersFrom].filter(isDefined));
}

/**
 * The Snapshot for a fleet in the namespace of a workspace: the tenant can read Secrets there, so that it holds no credentials
 * and no keys of the organisation. Providers that need them are marked `needsFleet`.
 */
export function tenantSnapshot(snapshot: Snapshot, workspaces: ReadonlySet<string>): Snapshot {
  return { ...snapshot, entries: visibleToTenants(snapshotForWorkspaces(snapshot, workspaces).entries, workspaces) };
}

const ORGANISATION_CREDENTIALS = entryId('credential', null, '');

/** The entries of workspaces without anything that their tenants may not know. */
export function visibleToTenants(entries: readonly AnyEntry[], workspaces: ReadonlySet<string>): readonly AnyEntry[] {
  const named = defaultConfigs(entries);
  return entries.flatMap((entry) => {
    if (entry.workspace !== null) return [withFleetNeeds(entry)];
    if (SECRET_ENTRY_KINDS.has(entry.kind)) return [];
    if (entry.kind === 'config' && isOrganisationOnly(entry) && !named.has(entry.body.slug)) return [];
    if (entry.kind === 'policy') return []; // its conditions may name other workspaces
    if (entry.kind === 'organisation') return [withoutDefaultWorkspace(entry)];
    if (entry.kind === 'issuer') return [withOwnWorkspaces(entry, workspaces)];
    return [withFleetNeeds(entry.kind === 'provider' ? withOwnGrants(entry, workspaces) : entry)];
  });
}

/** Names of the configs that apply to requests that name none. */
export const defaultConfigs = (entries: readonly AnyEntry[]): ReadonlySet<string | undefined> =>
  new Set(
    entries.map(({ kind, body }) => (kind === 'workspace' || kind === 'sidecar' ? body.defaults.config : undefined)),
  );

/** Only keys of the organisation use it, which tenants do not have; it may be the name of another workspace. */
function withoutDefaultWorkspace(entry: SnapshotEntry<'organisation'>): AnyEntry {
  const { defaultWorkspace: _, ...body } = entry.body;
  return { ...entry, digest: digestOf(body), body };
}

/** Tokens may name none but the own workspaces, and a tenant must not learn of others. */
function withOwnWorkspaces(entry: SnapshotEntry<'issuer'>, own: ReadonlySet<string>): AnyEntry {
  const { workspaces = [...own], defaultWorkspace, ...rest } = entry.body;
  const body = {
    ...rest,
    workspaces: workspaces.filter((name) => own.has(name)).sort(),
    ...(defaultWorkspace !== undefined && own.has(defaultWorkspace) ? { defaultWorkspace } : {}),
  };
  return { ...entry, digest: digestOf(body), body };
}

/** A tenant must not learn which other workspaces the provider is granted to. */
function withOwnGrants(entry: SnapshotEntry<'provider'>, workspaces: ReadonlySet<string>): SnapshotEntry<'provider'> {
  const { grants = [], accesses = [] } = entry.body;
  const isOwn = (workspace: string): boolean => workspace === ALL_WORKSPACES || workspaces.has(workspace);
  const own = grants.filter(isOwn);
  const ownAccesses = accesses.filter(({ workspace }) => isOwn(workspace));
  if (own.length === grants.length && ownAccesses.length === accesses.length) return entry;
  const body = { ...entry.body, grants: own, ...(accesses.length === 0 ? {} : { accesses: ownAccesses }) };
  return { ...entry, digest: digestOf(body), body };
}

function withFleetNeeds(entry: AnyEntry): AnyEntry {
  const needed = new Set(credentialsOf(entry).filter((id) => id.startsWith(ORGANISATION_CREDENTIALS)));
  // A sidecar does not run with the identity of the fleet's pods.
  const isLent = entry.kind === 'provider' && entry.body.ownIdentity === true;
  if (needed.size === 0 && !isLent) return entry;
  if (entry.kind === 'provider') {
    const { credential: _, ...rest } = entry.body;
    return withBody(entry, { ...rest, needsFleet: true });
  }
  const needsFleet = [...needed].sort();
  if (entry.kind === 'guardrail') return withBody(entry, { ...entry.body, needsFleet });
  return entry.kind === 'config' ? withBody(entry, { ...entry.body, needsFleet }) : entry;
}

const withBody = <E extends AnyEntry>(entry: E, body: E['body']): E => ({ ...entry, digest: digestOf(body), body });

const isDefined = <T>(value: T | undefined): value is T => value !== undefined;
