/** Snapshots for the sidecars of many workspaces, made on demand and kept as long as they are current. */
import type { SidecarProfile } from '@gatehouse/crds/kinds';
import type { AnyEntry, Snapshot } from '@gatehouse/crds/snapshot';
import { type SidecarSnapshot, sidecarSnapshot } from './sidecar-snapshot.ts';

export interface SidecarSnapshotCache {
  /** Switches to a newer Snapshot of all workspaces. */
  update(snapshot: Snapshot): void;
  /**
   * The Snapshot for the sidecars of a workspace; the same object as before if its content has not changed. Undefined before
   * the first update.
   */
  snapshotOf(workspace: string, profiles: readonly SidecarProfile[]): SidecarSnapshot | undefined;
}

interface CachedSnapshot {
  readonly source: Snapshot;
  readonly profiles: readonly SidecarProfile[];
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
      const fresh = sidecarSnapshot({ ...source, entries }, workspace, profiles);
      const made = page?.made.version === fresh.version ? page.made : fresh;
      pages.set(workspace, { source, profiles: [...profiles], made });
      return made;
    },
  };
}

const isSame = (a: readonly SidecarProfile[], b: readonly SidecarProfile[]): boolean =>
  a.length === b.length && a.every((profile, i) => profile === b[i]);
