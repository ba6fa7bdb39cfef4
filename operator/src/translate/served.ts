import { credentialsIn } from '@gatehouse/crds/config';
import type { AnyEntry, Snapshot } from '@gatehouse/crds/snapshot';
import { EVERYONE } from './grants.ts';

/**
 * What a fleet may hold that serves some workspaces only: their entries, what the organisation grants to any of them, and
 * no credential that nothing of this uses (engineering 8.11).
 */
export function servedBy(snapshot: Snapshot, workspaces: ReadonlySet<string>): Snapshot {
  const own = snapshot.entries.filter((entry) => isServed(entry, workspaces));
  const used = new Set(own.flatMap(credentialsOf));
  const entries = own.filter(({ kind, id, workspace }) => kind !== 'credential' || workspace !== null || used.has(id));
  return { ...snapshot, entries };
}

function isServed(entry: AnyEntry, workspaces: ReadonlySet<string>): boolean {
  if (entry.workspace !== null) return workspaces.has(entry.workspace);
  if (entry.kind !== 'provider') return true;
  return (entry.body.grants ?? []).some((workspace) => workspace === EVERYONE || workspaces.has(workspace));
}

/** Ids of the credentials an entry names. */
export function credentialsOf(entry: AnyEntry): readonly string[] {
  if (entry.kind === 'provider') return entry.body.credential === undefined ? [] : [entry.body.credential];
  return entry.kind === 'config' ? credentialsIn(entry.body.node) : [];
}
