export { type Batches, type BatchesOptions, type BatchTiming, createBatches, withoutBatches } from './batches.ts';
export { LeaseLost } from './claims.ts';
export { headersRequest, isMissingProvider } from './execution/row-call.ts';
export { createJobFolder } from './folder/job-folder.ts';
export type { FollowedBatch, FollowedLease } from './followed-store.ts';
export type { JobStore, Lease } from './job-store.ts';
export { createPostgresJobs } from './postgres/postgres-jobs.ts';
export { type BatchOrder, type BatchProgress, NOT_STARTED, type StoredFile } from './records.ts';
export type { BatchSettings } from './settings.ts';
