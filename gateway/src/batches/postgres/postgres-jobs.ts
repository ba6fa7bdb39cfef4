/** Files and batches in PostgreSQL, for the pods of a fleet. */
import type { PostgresOptions } from '@gatehouse/crds/sql';
import type { JobStore } from '../job-store.ts';
import { batchCalls } from './batch-calls.ts';
import { createBatchDatabase } from './database.ts';
import { fileCalls } from './file-calls.ts';
import { followedCalls } from './followed-calls.ts';

/** Throws an Error for a URL that is none. Connects with the first call. */
export function createPostgresJobs(options: PostgresOptions): JobStore {
  const database = createBatchDatabase(options);
  return { ...fileCalls(database), ...batchCalls(database), ...followedCalls(database), close: database.close };
}
