/** Batches and files as objects of OpenAI's API. Source: OpenAI API reference, "The batch object", "The file object". */
import type { JsonObject } from '../contract.ts';

export type BatchStatus =
  | ('validating' | 'in_progress' | 'finalizing' | 'completed')
  | ('failed' | 'expired' | 'cancelling' | 'cancelled');

/** Times are Unix times in seconds; what is absent is null. */
export interface BatchFacts {
  readonly id: string;
  readonly endpoint: string;
  readonly status: BatchStatus;
  readonly input_file_id?: string | null | undefined;
  readonly output_file_id?: string | null | undefined;
  readonly error_file_id?: string | null | undefined;
  readonly model?: string | undefined;
  readonly errors?: readonly { readonly code: string; readonly message: string }[] | undefined;
  readonly created_at?: number | undefined;
  readonly in_progress_at?: number | undefined;
  readonly expires_at?: number | undefined;
  readonly finalizing_at?: number | undefined;
  readonly completed_at?: number | undefined;
  readonly failed_at?: number | undefined;
  readonly expired_at?: number | undefined;
  readonly cancelling_at?: number | undefined;
  readonly cancelled_at?: number | undefined;
  readonly request_counts?: { readonly total: number; readonly completed: number; readonly failed: number } | undefined;
}

export function toBatchObject(facts: BatchFacts): JsonObject {
  const { errors } = facts;
  return {
    id: facts.id,
    object: 'batch',
    endpoint: facts.endpoint,
    ...(facts.model === undefined ? {} : { model: facts.model }),
    errors:
      errors === undefined
        ? null
        : { object: 'list', data: errors.map((error) => ({ ...error, param: null, line: null })) },
    input_file_id: facts.input_file_id ?? null,
    completion_window: '24h',
    status: facts.status,
    output_file_id: facts.output_file_id ?? null,
    error_file_id: facts.error_file_id ?? null,
    created_at: facts.created_at ?? null,
    in_progress_at: facts.in_progress_at ?? null,
    expires_at: facts.expires_at ?? null,
    finalizing_at: facts.finalizing_at ?? null,
    completed_at: facts.completed_at ?? null,
    failed_at: facts.failed_at ?? null,
    expired_at: facts.expired_at ?? null,
    cancelling_at: facts.cancelling_at ?? null,
    cancelled_at: facts.cancelled_at ?? null,
    request_counts: facts.request_counts ?? null,
    metadata: null,
  };
}

export interface FileFacts {
  readonly id: string;
  readonly bytes?: number | undefined;
  /** Unix time in seconds. */
  readonly created_at?: number | undefined;
  readonly filename: string;
  readonly purpose: string;
  /** `uploaded`, `processed`, `error`, or a state of the provider's own. */
  readonly status: string;
  readonly status_details?: string | undefined;
}

export const toFileObject = (facts: FileFacts): JsonObject => ({
  id: facts.id,
  object: 'file',
  bytes: facts.bytes ?? null,
  created_at: facts.created_at ?? null,
  filename: facts.filename,
  purpose: facts.purpose,
  status: facts.status,
  status_details: facts.status_details ?? null,
});

/** Seconds of a date in text, as RFC 3339 has it; undefined: it is none. */
export function secondsOf(date: string | undefined): number | undefined {
  const ms = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1_000);
}
