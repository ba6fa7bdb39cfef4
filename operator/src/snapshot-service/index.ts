/** The snapshot service: streams Snapshots to sidecars. */
export { type KeyReader, type SnapshotService, type SnapshotServiceOptions, startSnapshotService } from './service.ts';
