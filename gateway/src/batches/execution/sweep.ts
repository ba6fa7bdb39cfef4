/** Removes files and batches whose time is over. */
import { objectKey, type StorePorts } from '../api/files.ts';

/** No upload lasts so long, in ms. */
const ABANDONED_MS = 24 * 60 * 60 * 1_000;
/** So long it is known which rows of the output of a provider were counted, and which batches have ended, in ms: twice as long as these are kept there. */
const COUNTED_MS = 60 * 86_400_000;
/** At a time. */
const MAX_REMOVED = 500;

/** Several processes may do it at the same time. Rejects with StoreFailure. */
export async function sweep({ settings, objects, jobs, now }: StorePorts): Promise<void> {
  const nowMs = now();
  for (const file of await jobs.staleFiles(nowMs, nowMs - ABANDONED_MS, MAX_REMOVED)) {
    await objects.delete(objectKey(file));
    await jobs.removeFile(file.workspace, file.id);
  }
  await jobs.removeBatchesEndedBefore(nowMs - settings.retentionMs, MAX_REMOVED);
  await jobs.forgetBefore(nowMs - COUNTED_MS, MAX_REMOVED);
}
