/** The snapshot service: streams Snapshots to sidecars. */
export { type SnapshotService, type SnapshotServiceOptions, startSnapshotService } from './service.ts';
