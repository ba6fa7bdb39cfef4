/** What of a translation each fleet gets. */
import type { Snapshot } from '@gatehouse/crds/snapshot';
import { snapshotForWorkspaces, tenantSnapshot } from '../../translate/index.ts';
import type { Placement, PublishTarget } from './ports.ts';

const NOBODY: ReadonlySet<string> = new Set();

/** The part of a Snapshot that a fleet may hold (engineering 8.11). */
export function snapshotFor({ owner, served }: Placement, snapshot: Snapshot): Snapshot {
  if (owner === 'organisation') return served === 'all' ? snapshot : snapshotForWorkspaces(snapshot, served);
  // What is nobody's in particular serves nobody; an answer of "all" outside the organisation would be a mistake.
  const own = owner === undefined || served === 'all' ? NOBODY : served;
  return owner === undefined ? { ...snapshot, entries: [] } : tenantSnapshot(snapshot, own);
}

/** Whether what a workspace owns (null: the organisation) is only programmed once the fleet serves it. */
export function servesWorkspace({ owner, served }: Placement, workspace: string | null): boolean {
  // A tenant's fleet must not hold up what the organisation's own fleets serve.
  if (workspace === null) return owner === 'organisation';
  return owner !== undefined && (served === 'all' || served.has(workspace));
}

/** A text that is the same as long as the fleet serves the same and can be told the same. */
export function placementKey({ owner, served, suspended, refused }: PublishTarget): string {
  return JSON.stringify([owner, served === 'all' ? served : [...served].sort(), suspended, refused]);
}
