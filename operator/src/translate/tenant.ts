import type { Snapshot } from '@gatehouse/crds/snapshot';
import { servedBy } from './served.ts';
import { forTenants } from './sidecar.ts';

/**
 * What a fleet in the namespace of a workspace may hold: who reads the Secrets there must not find credentials or keys of the
 * organisation (DESIGN sections 2 and 4). Providers that would need them are marked `needsFleet`.
 */
export function tenantSnapshot(snapshot: Snapshot, workspaces: ReadonlySet<string>): Snapshot {
  return { ...snapshot, entries: forTenants(servedBy(snapshot, workspaces).entries, workspaces) };
}
