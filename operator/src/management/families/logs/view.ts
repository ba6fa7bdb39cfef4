/** Rows and documents of the request log as the API shows them. */
import { type LogContent, type LogRow, type LogWire, pathFormatOf } from '@gatehouse/crds/logs';
import type { ShownKey } from '../key-ids.ts';

export const CENT_NANO = 1e7;

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

const cacheType = (cache: LogRow['cache']): 'simple' | 'semantic' | null => {
  if (cache === null || cache === 'DISABLED') return null;
  return cache.startsWith('SEMANTIC') ? 'semantic' : 'simple';
};

const time = (row: LogRow): string => new Date(row.created_at).toISOString();

/** What views need besides rows. */
export interface Shown {
  /** Of the installation. `name`: for people; undefined: it has none. */
  readonly organisation: { readonly id: string; readonly name: string | undefined };
  readonly shownKey: ShownKey;
}

/** The row in the words of clients of this kind of API. */
export function toMetrics(row: LogRow, shown: Shown) {
  return {
    ...whose(row, shown),
    ...{ is_success: isSuccess(row.status), is_final: row.is_final, attempt: row.attempt, error_code: row.error },
    ...{ ai_org: row.provider, ai_model: row.model, response_model: row.answered_model, virtual_key: row.account },
    ...{ config: row.config, config_id: row.config, config_version_id: row.config_version },
    ...{ prompt_id: row.prompt, prompt_slug: row.prompt, prompt_version_id: row.prompt_version },
    ...{ req_units: row.input_tokens, res_units: row.output_tokens, total_units: row.total_tokens },
    ...{ cached_units: row.cached_tokens, reasoning_units: row.reasoning_tokens },
    ...{ cost: (row.cost_nano ?? 0) / CENT_NANO, cost_currency: 'USD' as const },
    ...{ is_estimated: row.is_estimated, is_unpriced: row.is_unpriced, is_denied: row.is_denied },
    ...{ request_url: row.url, request_method: row.method, operation: row.operation },
    ...{ response_status_code: row.status, response_time: row.response_ms },
    ...{ upstream_response_time: row.upstream_ms, gateway_processing_time: row.gateway_ms, ttlt: row.last_byte_ms },
    ...{ request_parsing_time: row.request_parsing_ms, pre_processing_time: row.pre_processing_ms },
    ...{ cache_processing_time: row.cache_ms, response_parsing_time: row.response_parsing_ms },
    ...{ runtime: row.runtime, runtime_version: row.runtime_version, sdk_version: row.sdk_version },
    ...{ is_proxy_call: row.source === 'proxy', stream_mode: row.is_stream ? 1 : 0 },
    ...{ cache_status: row.cache, cache_type: cacheType(row.cache), retry_success_count: row.retries },
    ...{ mode: row.mode, last_used_option: row.target, last_used_option_index: row.target_index },
    ...{ trace_id: row.trace_id, span_id: row.span_id ?? row.id, span_name: row.span_name ?? 'llm' },
    ...{ parent_span_id: row.parent_span_id, internal_trace_id: row.request_id, source: row.source },
    'metadata.key': Object.keys(row.metadata),
    'metadata.value': Object.values(row.metadata),
    log_store_file_path_format: pathFormatOf(row.document) ?? null,
    snapshot_version: row.snapshot,
    gateway_version: row.gateway_version,
  };
}

const whose = (row: LogRow, { organisation, shownKey }: Shown) => ({
  ...{ id: row.id, organisation_id: organisation.id, organisation_name: organisation.name ?? null },
  ...{ workspace_slug: row.workspace, created_at: time(row) },
  ...{ api_key_id: shownKey(row.api_key), api_key_name: row.api_key_name, user_id: row.key_user },
  ...{ _user: row.end_user, _environment: row.environment },
  ...{ _organisation: row.metadata['_organisation'] ?? null, _prompt: row.metadata['_prompt'] ?? null },
});

/** Known members alone: a document may have any number of others. */
const wireOf = ({ headers, body, truncated }: LogWire) => ({ headers, body, truncated });

/** Without content: requests and answers are not kept, or may not be seen. */
export function toRecord(row: LogRow, content: LogContent | undefined, shown: Shown) {
  const { request, response, finalUntransformedRequest, transformedRequest, originalResponse } = content ?? {};
  return {
    _id: row.id,
    organisation_id: shown.organisation.id,
    created_at: time(row),
    request: {
      ...{ url: request?.url ?? row.url, method: request?.method ?? row.method, gwHeaders: request?.gwHeaders },
      ...wireOf(request ?? {}),
    },
    response: {
      ...{ status: response?.status ?? row.status, responseTime: response?.responseTime ?? row.response_ms },
      ...wireOf(response ?? {}),
      lastUsedOptionJsonPath: response?.lastUsedOptionJsonPath ?? row.target,
    },
    finalUntransformedRequest: finalUntransformedRequest && wireOf(finalUntransformedRequest),
    transformedRequest: transformedRequest && wireOf(transformedRequest),
    originalResponse: originalResponse && wireOf(originalResponse),
    metrics: toMetrics(row, shown),
    decision: { ...row.decision },
  };
}

/** Of `type=hooks`. */
export const toHooks = (row: LogRow, content: LogContent | undefined, { organisation }: Shown) => ({
  ...{ _id: row.id, organisation_id: organisation.id, created_at: time(row), hooks: content?.hooks },
});
