/** A row of the request log: docs/behaviour/request-logs.md. Gateways write it, the management API reads it. */
import type { CacheVerdict, LogDecision } from './decision.ts';

/** How the gateway was called, or `log` for what was sent to the log by a client. */
export type LogSource = 'unified' | 'proxy' | 'realtime' | 'log';

/** One attempted target of a request; a request that no target was tried for has one row, too. */
export interface LogRow {
  /** UUID: the same record written twice has the same one. */
  readonly id: string;
  /** Unix time in ms: the start of the attempt. */
  readonly created_at: number;
  readonly workspace: string;
  /** The client's, or made by the gateway. */
  readonly trace_id: string;
  /** UUID, shared by the attempts of one request. */
  readonly request_id: string;
  readonly span_id: string | null;
  readonly parent_span_id: string | null;
  readonly span_name: string | null;
  /** Id of the key. */
  readonly api_key: string | null;
  readonly api_key_name: string | null;
  /** The person that the key belongs to. */
  readonly key_user: string | null;
  /** The metadata `_user`, else the member `user` of the body. */
  readonly end_user: string | null;
  /** The metadata `_environment`. */
  readonly environment: string | null;
  readonly source: LogSource;
  /** Id of the operation. */
  readonly operation: string;
  readonly method: string;
  /** Path as the client called it, without the query. */
  readonly url: string;
  /** From 0, in the order of the attempts. */
  readonly attempt: number;
  /** The attempt whose result the client got; each request has one such row. */
  readonly is_final: boolean;
  /** 200 to 299 and 246 are good; 499: the client left. */
  readonly status: number;
  /** Code of the error. */
  readonly error: string | null;
  readonly provider: string | null;
  /** Slug of the virtual key or the provider whose credential was used. */
  readonly account: string | null;
  /** That was asked for. */
  readonly model: string | null;
  /** By the provider's name; null: not known. */
  readonly answered_model: string | null;
  /** Slug of the saved config. */
  readonly config: string | null;
  readonly config_version: string | null;
  /** How the root of the config chooses. */
  readonly mode: string | null;
  /** Path of the target, e.g. `config.targets[1]`. */
  readonly target: string | null;
  /** Of the target below the root. */
  readonly target_index: number | null;
  readonly prompt: string | null;
  readonly prompt_version: string | null;
  readonly is_stream: boolean;
  readonly cache: CacheVerdict | null;
  /** -1: used up. */
  readonly retries: number;
  /** To the first byte of a stream, to the last of another answer. */
  readonly response_ms: number;
  /** Spent waiting for the provider. */
  readonly upstream_ms: number;
  /** To the last byte. */
  readonly last_byte_ms: number;
  /** Spent in the gateway. */
  readonly gateway_ms: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly cached_tokens: number;
  readonly reasoning_tokens: number;
  /** Nano-dollars; null: nothing that costs was answered. */
  readonly cost_nano: number | null;
  /** Tokens were told from bytes. */
  readonly is_estimated: boolean;
  /** Something that was used has no price. */
  readonly is_unpriced: boolean;
  /** A guardrail refused the request or its answer. */
  readonly is_denied: boolean;
  /** Names and values of at most 128 characters. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly decision: LogDecision;
  /** Version of the Snapshot. */
  readonly snapshot: number;
  readonly gateway_version: string;
  /** Where the document with the bodies is: `none`, `database`, or the key of an object. */
  readonly document: string;
  /** Another target of the request has failed, or was left out, before this one. */
  readonly fell_back: boolean;
  /** What the client runs on, as its SDK says: `node`, `CPython`. The three are of 64 characters at most. */
  readonly runtime: string | null;
  readonly runtime_version: string | null;
  /** Of the SDK; of other clients what names itself in `User-Agent`, with its version: `curl/8.5.0`. */
  readonly sdk_version: string | null;
  /** Reading and parsing the body of the client, with the wait for its bytes. Null, as the other three: not measured. */
  readonly request_parsing_ms: number | null;
  /** Before the first target, without the time above. */
  readonly pre_processing_ms: number | null;
  /** The look of the attempt into the cache. */
  readonly cache_ms: number | null;
  /** Bringing the whole good answer of the provider into the format of the client. */
  readonly response_parsing_ms: number | null;
}

/** What a column holds, in the words of no database. */
export type ColumnKind = 'uuid' | 'time' | 'text' | 'small' | 'whole' | 'real' | 'flag' | 'json';

/** The columns of `logs` in their order. */
export const LOG_COLUMNS = {
  id: 'uuid',
  created_at: 'time',
  workspace: 'text',
  trace_id: 'text',
  request_id: 'text',
  span_id: 'text',
  parent_span_id: 'text',
  span_name: 'text',
  api_key: 'text',
  api_key_name: 'text',
  key_user: 'text',
  end_user: 'text',
  environment: 'text',
  source: 'text',
  operation: 'text',
  method: 'text',
  url: 'text',
  attempt: 'small',
  is_final: 'flag',
  status: 'small',
  error: 'text',
  provider: 'text',
  account: 'text',
  model: 'text',
  answered_model: 'text',
  config: 'text',
  config_version: 'text',
  mode: 'text',
  target: 'text',
  target_index: 'small',
  prompt: 'text',
  prompt_version: 'text',
  is_stream: 'flag',
  cache: 'text',
  retries: 'small',
  response_ms: 'real',
  upstream_ms: 'real',
  last_byte_ms: 'real',
  gateway_ms: 'real',
  input_tokens: 'whole',
  output_tokens: 'whole',
  total_tokens: 'whole',
  cached_tokens: 'whole',
  reasoning_tokens: 'whole',
  cost_nano: 'whole',
  is_estimated: 'flag',
  is_unpriced: 'flag',
  is_denied: 'flag',
  metadata: 'json',
  decision: 'json',
  snapshot: 'whole',
  gateway_version: 'text',
  document: 'text',
  fell_back: 'flag',
  runtime: 'text',
  runtime_version: 'text',
  sdk_version: 'text',
  request_parsing_ms: 'real',
  pre_processing_ms: 'real',
  cache_ms: 'real',
  response_parsing_ms: 'real',
} as const satisfies Record<keyof LogRow, ColumnKind>;

/** Columns without a value in some rows. */
export type NullableColumn = { [C in keyof LogRow]: null extends LogRow[C] ? C : never }[keyof LogRow];
