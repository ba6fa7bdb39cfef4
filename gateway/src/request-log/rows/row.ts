import type { LogDecision, LogRow } from '@gatehouse/crds/logs';

/** What is the same in all rows of a request. */
export type Shared = Pick<
  LogRow,
  | 'workspace'
  | 'trace_id'
  | 'request_id'
  | 'parent_span_id'
  | 'span_name'
  | 'api_key'
  | 'api_key_name'
  | 'key_user'
  | 'end_user'
  | 'environment'
  | 'source'
  | 'method'
  | 'url'
  | 'config'
  | 'config_version'
  | 'mode'
  | 'prompt'
  | 'prompt_version'
  | 'metadata'
  | 'snapshot'
  | 'gateway_version'
  | 'runtime'
  | 'runtime_version'
  | 'sdk_version'
>;

export type TargetColumns = Pick<
  LogRow,
  'provider' | 'account' | 'model' | 'answered_model' | 'target' | 'target_index' | 'cache' | 'retries' | 'fell_back'
>;

export type Times = Pick<
  LogRow,
  | 'response_ms'
  | 'upstream_ms'
  | 'last_byte_ms'
  | 'gateway_ms'
  | 'request_parsing_ms'
  | 'pre_processing_ms'
  | 'cache_ms'
  | 'response_parsing_ms'
>;

export type UsageColumns = Pick<
  LogRow,
  | 'input_tokens'
  | 'output_tokens'
  | 'total_tokens'
  | 'cached_tokens'
  | 'reasoning_tokens'
  | 'cost_nano'
  | 'is_estimated'
  | 'is_unpriced'
>;

/** What each row has of its own. */
interface Own {
  readonly id: string;
  readonly createdAt: number;
  readonly spanId: string | null;
  readonly operation: string;
  readonly attempt: number;
  readonly isFinal: boolean;
  readonly status: number;
  readonly error: string | null;
  readonly target: TargetColumns;
  readonly isStream: boolean;
  readonly times: Times;
  readonly used: UsageColumns;
  readonly isDenied: boolean;
  readonly decision: LogDecision;
}

/** Written out: an object of so many members that is put together of others costs several times as much, also to whoever reads it. */
export function toRow(shared: Shared, own: Own): LogRow {
  const { target, times, used } = own;
  // biome-ignore format: several in a line
  return {
    id: own.id,
    created_at: own.createdAt,
    workspace: shared.workspace,
    trace_id: shared.trace_id,
    request_id: shared.request_id,
    span_id: own.spanId,
    parent_span_id: shared.parent_span_id,
    span_name: shared.span_name,
    api_key: shared.api_key,
    api_key_name: shared.api_key_name,
    key_user: shared.key_user,
    end_user: shared.end_user,
    environment: shared.environment,
    source: shared.source,
    operation: own.operation,
    method: shared.method,
    url: shared.url,
    attempt: own.attempt,
    is_final: own.isFinal,
    status: own.status,
    error: own.error,
    provider: target.provider,
    account: target.account,
    model: target.model,
    answered_model: target.answered_model,
    config: shared.config,
    config_version: shared.config_version,
    mode: shared.mode,
    target: target.target,
    target_index: target.target_index,
    prompt: shared.prompt,
    prompt_version: shared.prompt_version,
    is_stream: own.isStream,
    cache: target.cache,
    retries: target.retries,
    fell_back: target.fell_back,
    response_ms: times.response_ms,
    upstream_ms: times.upstream_ms,
    last_byte_ms: times.last_byte_ms,
    gateway_ms: times.gateway_ms,
    input_tokens: used.input_tokens,
    output_tokens: used.output_tokens,
    total_tokens: used.total_tokens,
    cached_tokens: used.cached_tokens,
    reasoning_tokens: used.reasoning_tokens,
    cost_nano: used.cost_nano,
    is_estimated: used.is_estimated,
    is_unpriced: used.is_unpriced,
    is_denied: own.isDenied,
    metadata: shared.metadata,
    decision: own.decision,
    snapshot: shared.snapshot,
    gateway_version: shared.gateway_version,
    document: 'none',
    runtime: shared.runtime, runtime_version: shared.runtime_version, sdk_version: shared.sdk_version,
    request_parsing_ms: times.request_parsing_ms, pre_processing_ms: times.pre_processing_ms,
    cache_ms: times.cache_ms, response_parsing_ms: times.response_parsing_ms,
  };
}
