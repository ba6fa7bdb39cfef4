/** The Snapshot for the sidecars of a workspace. */
export { EMPTY_SNAPSHOT, fleetNeeds, type SidecarSnapshot, sidecarSnapshot } from './sidecar-snapshot.ts';
export { createSidecarView, type SidecarView } from './sidecar-view.ts';
