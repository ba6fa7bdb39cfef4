/** A batch prediction job as a batch of OpenAI's API. Source: Vertex AI REST reference, BatchPredictionJob. */
import { numberAt, objectAt, textAt } from '../../../wire/json/json.ts';
import { type BatchStatus, secondsOf, toBatchObject } from '../../../wire/openai/index.ts';
import type { JsonObject } from '../../contract.ts';
import { encoded, type JobKind, lastOf, stateOf } from './job.ts';

const STATUSES: ReadonlyMap<string, BatchStatus> = new Map([
  ['RUNNING', 'in_progress'],
  ['UPDATING', 'in_progress'],
  ['SUCCEEDED', 'completed'],
  ['PARTIALLY_SUCCEEDED', 'completed'],
  ['FAILED', 'failed'],
  ['CANCELLING', 'cancelling'],
  ['CANCELLED', 'cancelled'],
  ['EXPIRED', 'expired'],
] as const);

/** Pending, queued, paused and unspecified ones are validated. */
export const statusOf = (job: JsonObject): BatchStatus => STATUSES.get(stateOf(job)) ?? 'validating';

export const isOfEmbeddings = (job: JsonObject): boolean => (textAt(job, 'model') ?? '').includes('embedding');

/** Undefined: the job has written nothing. */
export const outputFolder = (job: JsonObject): string | undefined =>
  textAt(objectAt(job, 'outputInfo'), 'gcsOutputDirectory')?.replace(/\/$/, '');

/** The names that outputs have, the likeliest first. */
export const outputNames = (job: JsonObject): readonly [string, string] =>
  isOfEmbeddings(job) ? ['000000000000.jsonl', 'predictions.jsonl'] : ['predictions.jsonl', '000000000000.jsonl'];

function inputOf(job: JsonObject): string | undefined {
  const uris = objectAt(objectAt(job, 'inputConfig'), 'gcsSource')?.['uris'];
  const [uri]: unknown[] = Array.isArray(uris) ? uris : [];
  return typeof uri === 'string' ? uri : undefined;
}

function countsOf(job: JsonObject) {
  const stats = objectAt(job, 'completionStats');
  if (stats === undefined) return undefined;
  const count = (name: string): number => numberAt(stats, name) ?? Number(textAt(stats, name) ?? 0);
  const [completed, failed, open] = [count('successfulCount'), count('failedCount'), count('incompleteCount')];
  return { total: completed + failed + Math.max(open, 0), completed, failed };
}

export const BATCHES: JobKind = {
  collection: 'batchPredictionJobs',
  param: 'batch_id',
  read(job) {
    const id = lastOf(textAt(job, 'name'));
    if (id === undefined) return undefined;
    const status = statusOf(job);
    const endedAt = secondsOf(textAt(job, 'endTime'));
    const folder = outputFolder(job);
    const message = textAt(objectAt(job, 'error'), 'message');
    const batch = toBatchObject({
      ...{ id, status, model: lastOf(textAt(job, 'model')) },
      endpoint: isOfEmbeddings(job) ? '/v1/embeddings' : '/v1/chat/completions',
      input_file_id: encoded(inputOf(job)),
      output_file_id: folder === undefined ? undefined : encoded(`${folder}/${outputNames(job)[0]}`),
      created_at: secondsOf(textAt(job, 'createTime')),
      in_progress_at: secondsOf(textAt(job, 'startTime')),
      completed_at: status === 'completed' ? endedAt : undefined,
      failed_at: status === 'failed' ? endedAt : undefined,
      cancelled_at: status === 'cancelled' ? endedAt : undefined,
      expired_at: status === 'expired' ? endedAt : undefined,
      request_counts: countsOf(job),
      errors: message === undefined ? undefined : [{ code: 'failed', message }],
    });
    return { ...batch, id };
  },
};
