/** An export of logs: docs/behaviour/request-logs.md#exports. */

export const EXPORT_FIELDS = [
  ...([
    'id',
    'trace_id',
    'created_at',
    'request',
    'response',
    'is_success',
    'ai_org',
    'ai_model',
    'req_units',
  ] as const),
  ...(['res_units', 'total_units', 'request_url', 'cost', 'cost_currency', 'response_time'] as const),
  ...(['response_status_code', 'mode', 'config', 'prompt_slug', 'metadata'] as const),
  ...(['runtime', 'runtime_version', 'sdk_version'] as const),
  ...(['request_parsing_time', 'pre_processing_time', 'cache_processing_time', 'response_parsing_time'] as const),
] as const;
export type ExportField = (typeof EXPORT_FIELDS)[number];

export const EXPORT_STATUSES = ['draft', 'in_progress', 'success', 'failed', 'stopped'] as const;
export type ExportStatus = (typeof EXPORT_STATUSES)[number];

/** `Filter`: what is asked of the request log, as whoever reads it knows it. */
export interface ExportProgress<Filter = unknown> {
  readonly filter: Filter;
  /** Without those that the organisation denied when it was started. */
  readonly fields: readonly ExportField[];
  /** The last row that is in a part; null: none is. */
  readonly before: ExportPlace | null;
}

/** Rows are in the order of time and id, the newest first. */
export interface ExportPlace {
  /** Unix time in ms. */
  readonly created_at: number;
  readonly id: string;
}

export interface ExportRow {
  /** UUID. */
  readonly id: string;
  readonly workspace: string;
  readonly description: string;
  /** As the client sent them. */
  readonly filters: Readonly<Record<string, unknown>>;
  readonly fields: readonly ExportField[];
  readonly status: ExportStatus;
  /** Why it failed. */
  readonly problem: string | null;
  /** Id of the key; null: a person who is signed in. */
  readonly api_key: string | null;
  /** The person, else the key. */
  readonly created_by: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly started_at: Date | null;
  readonly max_records: number;
  readonly total_records: number;
  /** Of all parts, as they are kept. */
  readonly bytes: number;
  readonly parts: number;
  /** Null: it was never started. */
  readonly progress: ExportProgress | null;
  /** Signs links to the file. */
  readonly link_key: string;
  /** Grows with each process that takes it up: an earlier one writes nothing any more. */
  readonly lease_number: number;
  readonly lease_until: Date | null;
}
