/** The Snapshot for the sidecars of a workspace. */
export {
  EMPTY_SNAPSHOT,
  type FleetAddress,
  fleetNeeds,
  type SidecarSnapshot,
  sidecarSnapshot,
} from './sidecar-snapshot.ts';
export { createSidecarView, type FleetForProfile, type SidecarView } from './sidecar-view.ts';
