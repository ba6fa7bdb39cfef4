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

/** Of a batch at a provider, in the words of OpenAI's API. */
export function shownStatus({ status, finalizingAt }: BatchProgress): string {
  if (status === 'submitting') return 'validating';
  if (status !== 'at_provider') return status;
  return finalizingAt === null ? 'in_progress' : 'finalizing';
}

/** Who asks for the rows: nothing of it is a credential or a host. */
function providerDetails({ atProvider, ownReason }: BatchProgress): object {
  if (atProvider === undefined)
    return { run_by: ownReason === undefined ? null : 'gateway', reason: ownReason ?? null };
  const { provider, slug, id, status, counts } = atProvider;
  return {
    ...{ run_by: 'provider', provider, account: `@${slug}`, batch_id: id, status },
    request_counts: counts,
  };
}

export function batchObject({ order, progress, cancellingAt }: StoredBatch, withDetails = false): object {
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
    status: isCancelling ? 'cancelling' : shownStatus(progress),
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
    ...(withDetails ? { provider_details: providerDetails(progress) } : {}),
  };
}

export function listObject(data: readonly object[], ids: readonly string[], hasMore: boolean): object {
  return { object: 'list', data, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null, has_more: hasMore };
}
