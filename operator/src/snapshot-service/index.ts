/** Snapshots for sidecars, fresh from the operator (DESIGN section 5). */
export { type SnapshotService, type SnapshotServiceOptions, startSnapshotService } from './service.ts';
