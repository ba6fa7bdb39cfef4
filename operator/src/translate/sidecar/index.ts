/** The Snapshot for the sidecars of a workspace. */
export { fleetNeeds, NOTHING_TOLD, type SidecarSnapshot, sidecarSnapshot } from './sidecar-snapshot.ts';
export { createSidecarReaders, type SidecarReaders } from './sidecar-view.ts';
