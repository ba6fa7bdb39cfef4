export { type Batches, type BatchTiming, createBatches, withoutBatches } from './batches.ts';
export { createJobFolder } from './folder/job-folder.ts';
export { createObjectFolder } from './folder/object-folder.ts';
export { type JobStore, type Lease, LeaseLost } from './job-store.ts';
export { type ObjectStore, StoreFailure } from './object-store.ts';
export { createPostgresJobs } from './postgres/postgres-jobs.ts';
export { type BatchOrder, NOT_STARTED, type StoredFile } from './records.ts';
export type { BatchSettings } from './settings.ts';
export { headersRequest, isMissingProvider } from './work/row-call.ts';
