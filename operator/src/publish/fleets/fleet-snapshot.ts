/** The part of a translation that each fleet gets. */
import type { Snapshot } from '@gatehouse/crds/snapshot';
import { snapshotForWorkspaces, tenantSnapshot } from '../../translate/index.ts';
import type { Placement, PublishTarget } from './ports.ts';

const NO_WORKSPACES: ReadonlySet<string> = new Set();

/** The part of a Snapshot that a fleet may hold; see docs/behaviour/publishing.md. */
export function snapshotFor({ owner, served }: Placement, snapshot: Snapshot): Snapshot {
  if (owner === 'organisation') return served === 'all' ? snapshot : snapshotForWorkspaces(snapshot, served);
  // A fleet without an owner serves nothing; "all" outside the organisation would be a mistake.
  const own = owner === undefined || served === 'all' ? NO_WORKSPACES : served;
  return owner === undefined ? { ...snapshot, entries: [] } : tenantSnapshot(snapshot, own);
}

/** Whether objects of a workspace (null: of the organisation) are programmed only once the fleet serves them. */
export function servesWorkspace({ owner, served }: Placement, workspace: string | null): boolean {
  // Objects of the organisation must not wait for a tenant's fleet.
  if (workspace === null) return owner === 'organisation';
  return owner !== undefined && (served === 'all' || served.has(workspace));
}

/** A text that changes with what the fleet serves or may hold. */
export function placementKey({ owner, served, suspended, refused }: PublishTarget): string {
  return JSON.stringify([owner, served === 'all' ? served : [...served].sort(), suspended, refused]);
}
