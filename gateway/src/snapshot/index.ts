export { createSnapshotHolder, type SnapshotHolder, type SnapshotStatus } from './holder.ts';
export type { KeyRecord, ManagedProvider, OrganisationRecord, SavedConfig, WorkspaceRecord } from './records.ts';
export type { SnapshotView } from './view.ts';
