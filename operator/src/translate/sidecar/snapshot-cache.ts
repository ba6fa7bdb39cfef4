/** Snapshots for the sidecars of many workspaces, made on demand and kept as long as they are current. */
import type { SidecarProfile } from '@gatehouse/crds/kinds';
import type { AnyEntry, Snapshot } from '@gatehouse/crds/snapshot';
import { type FleetAddress, type SidecarSnapshot, sidecarSnapshot } from './sidecar-snapshot.ts';

export interface SidecarSnapshotCache {
  /** Switches to a newer Snapshot of all workspaces. */
  update(snapshot: Snapshot): void;
  /**
   * The Snapshot for the sidecars of a workspace; the same object as before if its content has not changed. Undefined before
   * the first update.
   */
  snapshotOf(workspace: string, profiles: readonly ProfileWithFleet[]): SidecarSnapshot | undefined;
}

/** A profile and the fleet that its sidecars pass requests on to. */
export interface ProfileWithFleet {
  readonly profile: SidecarProfile;
  readonly fleet: FleetAddress | undefined;
}

interface CachedSnapshot {
  readonly source: Snapshot;
  readonly profiles: readonly ProfileWithFleet[];
  readonly made: SidecarSnapshot;
}

/**
 * Looks at each entry once per Snapshot, whatever the number of workspaces; drops Snapshots that were not read since the last
 * update.
 */
export function createSidecarSnapshotCache(): SidecarSnapshotCache {
  const pages = new Map<string, CachedSnapshot>();
  let source: Snapshot | undefined;
  let parts: ReadonlyMap<string | null, readonly AnyEntry[]> | undefined;
  let asked = new Set<string>();
  return {
    update: (snapshot) => {
      if (snapshot === source) return;
      for (const workspace of pages.keys()) if (!asked.has(workspace)) pages.delete(workspace);
      asked = new Set();
      source = snapshot;
      parts = undefined;
    },
    snapshotOf: (workspace, profiles) => {
      if (source === undefined) return undefined;
      asked.add(workspace);
      const page = pages.get(workspace);
      if (page?.source === source && isSame(page.profiles, profiles)) return page.made;
      parts ??= Map.groupBy(source.entries, (entry) => entry.workspace);
      const entries = [...(parts.get(null) ?? []), ...(parts.get(workspace) ?? [])];
      const fleets = new Map(profiles.map(({ profile, fleet }) => [profile, fleet]));
      const fresh = sidecarSnapshot({ ...source, entries }, workspace, [...fleets.keys()], (profile) =>
        fleets.get(profile),
      );
      const made = page?.made.version === fresh.version ? page.made : fresh;
      pages.set(workspace, { source, profiles: [...profiles], made });
      return made;
    },
  };
}

const isSame = (a: readonly ProfileWithFleet[], b: readonly ProfileWithFleet[]): boolean =>
  a.length === b.length &&
  a.every(({ profile, fleet }, i) => profile === b[i]?.profile && isSameFleet(fleet, b[i]?.fleet));

const isSameFleet = (a: FleetAddress | undefined, b: FleetAddress | undefined): boolean =>
  a?.url === b?.url && a?.ca === b?.ca && a?.records === b?.records;
