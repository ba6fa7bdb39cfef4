/** Embed jobs as batches of OpenAI's API. Source: Cohere API v1, "Embed Jobs". */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { objectAt, textAt } from '../json/json.ts';
import { type BatchStatus, embeddingsBody, promptUsage, secondsOf, toBatchObject } from '../openai/index.ts';
import { inputTokens } from './usage.ts';

/** What the rows of all embed jobs ask for. */
export const EMBED_ENDPOINT = '/v1/embeddings';

const STATUSES: ReadonlyMap<string, BatchStatus> = new Map([
  ['processing', 'in_progress'],
  ['complete', 'completed'],
  ['cancelling', 'cancelling'],
  ['cancelled', 'cancelled'],
  ['failed', 'failed'],
]);

export type BatchEntry = JsonObject & { readonly id: string; readonly status: BatchStatus };

/** A job as a batch; the error says why it cannot be read. */
export function fromEmbedJob(job: unknown): Result<BatchEntry, string> {
  const id = isObject(job) ? textAt(job, 'job_id') : undefined;
  if (!isObject(job) || id === undefined || id === '') return err('the job has no job_id');
  const status = STATUSES.get(textAt(job, 'status') ?? '') ?? 'in_progress';
  const batch = toBatchObject({
    ...{ id, status, endpoint: EMBED_ENDPOINT, model: textAt(job, 'model') },
    input_file_id: textAt(job, 'input_dataset_id'),
    output_file_id: textAt(job, 'output_dataset_id') || undefined,
    created_at: secondsOf(textAt(job, 'created_at')),
  });
  return ok({ ...batch, id, status });
}

export interface EmbeddedRow {
  readonly customId: string;
  readonly vector: readonly number[];
}

const MAX_DIMENSIONS = 65_536;

/** A record of the output of a job; the error says why it cannot be read. */
export function fromEmbeddedRecord(record: unknown): Result<EmbeddedRow, string> {
  if (!isObject(record)) return err('it is no record');
  // A dataset that was made elsewhere has no custom_id.
  const customId = textAt(record, 'custom_id') ?? textAt(record, 'id');
  if (customId === undefined) return err('it has no custom_id');
  const vector = objectAt(record, 'embeddings')?.['float'];
  if (!Array.isArray(vector)) return err('it has no embedding of type float');
  if (vector.length > MAX_DIMENSIONS) return err(`its embedding has more than ${MAX_DIMENSIONS} numbers`);
  if (!vector.every(isFiniteNumber)) return err('its embedding has something else than finite numbers');
  return ok({ customId, vector });
}

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);

/** What a job has used as a whole, and how many rows it is shared by. */
export interface JobUsage {
  readonly tokens: number;
  /** 1: it is not known how many there are; the first has all of it. */
  readonly rows: number;
}

/** Undefined: the job does not say it, or not as a count. `rows`: undefined: they are not known. */
export function usageOfJob(job: JsonObject, rows: number | undefined): JobUsage | undefined {
  const tokens = inputTokens(objectAt(job, 'meta'));
  if (!isCount(tokens)) return undefined;
  return { tokens, rows: isCount(rows) && rows > 0 ? rows : 1 };
}

const isCount = (value: number | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** The share of a row, from 0: shares are even, and their sum is that of the job. */
export function shareOf({ tokens, rows }: JobUsage, row: number): number {
  // The product may be no safe integer.
  const upTo = (count: number): number => Number((BigInt(tokens) * BigInt(Math.min(count, rows))) / BigInt(rows));
  return upTo(row + 1) - upTo(row);
}

export interface EmbeddedAnswer {
  readonly provider: string;
  readonly model: string;
  readonly vector: readonly number[];
  /** Undefined: it is not known. */
  readonly tokens: number | undefined;
}

/** The answer to a row. */
export const toEmbeddedAnswer = ({ provider, model, vector, tokens }: EmbeddedAnswer): JsonObject =>
  embeddingsBody({
    ...{ provider, model, vectors: [vector] },
    usage: tokens === undefined ? undefined : promptUsage(tokens),
  });

/** What creates a job, from the parameters of a batch that have been checked; `dataset`: its input. */
export function toEmbedJob(
  params: JsonObject,
  { model, dataset }: { readonly model: string; readonly dataset: string },
) {
  const { input_type: inputType, name, embedding_types: types, truncate } = params;
  return {
    ...{ model, dataset_id: dataset, input_type: inputType ?? 'search_document', embedding_types: types ?? ['float'] },
    ...(name === undefined ? {} : { name }),
    ...(truncate === undefined ? {} : { truncate }),
  };
}
