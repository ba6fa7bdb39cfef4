/** Files and batches as clients see them: the objects of OpenAI's API. */
import type { BatchProgress, StoredBatch, StoredFile } from '../records.ts';

const seconds = (ms: number): number => Math.floor(ms / 1_000);
const maybe = (ms: number | null | undefined): number | null => (ms == null ? null : seconds(ms));

export const fileObject = ({ id, bytes, createdAt, expiresAt, filename, purpose }: StoredFile): object => ({
  id,
  object: 'file',
  bytes,
  created_at: seconds(createdAt),
  expires_at: seconds(expiresAt),
  filename,
  purpose,
  status: 'processed',
  status_details: null,
});

export function batchObject({ order, progress, cancellingAt }: StoredBatch): object {
  const { status } = progress;
  const isCancelling = cancellingAt !== undefined && progress.endedAt === null;
  const endedAs = (wanted: BatchProgress['status']): number | null =>
    status === wanted ? maybe(progress.endedAt) : null;
  return {
    id: order.id,
    object: 'batch',
    endpoint: order.endpoint,
    errors: progress.problems.length === 0 ? null : { object: 'list', data: progress.problems },
    input_file_id: order.inputFileId,
    completion_window: order.completionWindow,
    status: isCancelling ? 'cancelling' : status,
    output_file_id: progress.outputFileId,
    error_file_id: progress.errorFileId,
    created_at: seconds(order.createdAt),
    in_progress_at: maybe(progress.inProgressAt),
    expires_at: seconds(order.expiresAt),
    finalizing_at: maybe(progress.finalizingAt),
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at: maybe(cancellingAt),
    cancelled_at: endedAs('cancelled'),
    request_counts: { total: progress.total, completed: progress.completed, failed: progress.failed },
    metadata: order.metadata,
  };
}

export function listObject(data: readonly object[], ids: readonly string[], hasMore: boolean): object {
  return { object: 'list', data, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null, has_more: hasMore };
}
