/** Management operations: rows of the request log with their documents. */
import { z } from 'zod';
import { logFilters } from './log-filters.ts';
import { defineOperation } from './operation.ts';
import { anyObject, dateTime, paging, uuid } from './shapes.ts';

/** The row, in the words of clients of this kind of API. */
const metrics = z.object({
  id: uuid,
  organisation_id: uuid,
  /** As people know it. */
  organisation_name: z.string().nullable(),
  workspace_slug: z.string(),
  created_at: dateTime,
  api_key_id: z.string().nullable(),
  api_key_name: z.string().nullable(),
  /** The person of the key. */
  user_id: z.string().nullable(),
  /** Who uses the client. */
  _user: z.string().nullable(),
  _environment: z.string().nullable(),
  /** Of the metadata, as the two before. */
  _organisation: z.string().nullable(),
  _prompt: z.string().nullable(),
  is_success: z.boolean(),
  /** The attempt whose result the client got. */
  is_final: z.boolean(),
  attempt: z.int(),
  error_code: z.string().nullable(),
  ai_org: z.string().nullable(),
  ai_model: z.string().nullable(),
  /** By the name of the provider. */
  response_model: z.string().nullable(),
  virtual_key: z.string().nullable(),
  config: z.string().nullable(),
  config_id: z.string().nullable(),
  config_version_id: z.string().nullable(),
  prompt_id: z.string().nullable(),
  prompt_slug: z.string().nullable(),
  prompt_version_id: z.string().nullable(),
  req_units: z.int(),
  res_units: z.int(),
  total_units: z.int(),
  cached_units: z.int(),
  reasoning_units: z.int(),
  /** In cents. */
  cost: z.number(),
  cost_currency: z.literal('USD'),
  /** Tokens were told from bytes. */
  is_estimated: z.boolean(),
  /** Something that was used has no price. */
  is_unpriced: z.boolean(),
  is_denied: z.boolean(),
  request_url: z.string(),
  request_method: z.string(),
  operation: z.string(),
  response_status_code: z.int(),
  /** In ms. */
  response_time: z.number(),
  upstream_response_time: z.number(),
  gateway_processing_time: z.number(),
  /** Null, as the next three: not measured. */
  request_parsing_time: z.number().nullable(),
  pre_processing_time: z.number().nullable(),
  cache_processing_time: z.number().nullable(),
  response_parsing_time: z.number().nullable(),
  /** To the last byte. */
  ttlt: z.number(),
  /** Of the client, as it says. */
  runtime: z.string().nullable(),
  runtime_version: z.string().nullable(),
  sdk_version: z.string().nullable(),
  is_proxy_call: z.boolean(),
  cache_status: z.string().nullable(),
  cache_type: z.enum(['simple', 'semantic']).nullable(),
  stream_mode: z.int(),
  retry_success_count: z.int(),
  mode: z.string().nullable(),
  last_used_option: z.string().nullable(),
  last_used_option_index: z.int().nullable(),
  trace_id: z.string(),
  span_id: z.string(),
  span_name: z.string(),
  parent_span_id: z.string().nullable(),
  internal_trace_id: uuid,
  source: z.string(),
  'metadata.key': z.array(z.string()),
  'metadata.value': z.array(z.string()),
  /** Null: the document is in the database, or there is none. */
  log_store_file_path_format: z.enum(['v1', 'v2']).nullable(),
  snapshot_version: z.int(),
  gateway_version: z.string(),
});

const wire = z.object({
  headers: anyObject.optional(),
  body: z.unknown().optional(),
  truncated: z.literal(true).optional(),
});

/** Why headers and bodies that were kept cannot be shown. */
const documentNote = z.string().optional();

const record = z.object({
  _id: uuid,
  organisation_id: uuid,
  created_at: dateTime,
  /** Members of requests and answers are absent where they were not kept, or may not be seen. */
  request: wire.extend({ url: z.string(), method: z.string(), gwHeaders: anyObject.optional() }),
  response: wire.extend({
    status: z.int(),
    responseTime: z.number(),
    lastUsedOptionJsonPath: z.string().nullable(),
  }),
  finalUntransformedRequest: wire.optional(),
  transformedRequest: wire.optional(),
  originalResponse: wire.optional(),
  metrics,
  /** Why it went where it went. */
  decision: anyObject,
  note: documentNote,
});

/** Of `type=hooks`. */
const hooksRecord = z.object({
  _id: uuid,
  organisation_id: uuid,
  created_at: dateTime,
  /** Results of guardrails, as answers show them; absent: none were kept. */
  hooks: z.unknown().optional(),
  note: documentNote,
});

export const logs = {
  list: defineOperation({
    id: 'logs.list',
    method: 'GET',
    path: '/logs',
    summary: 'Lists rows of the request log, the newest first.',
    scopes: ['logs.list'],
    query: z.strictObject({ ...paging, ...logFilters }),
    answer: z.object({ object: z.literal('list'), total: z.int(), data: z.array(metrics) }),
  }),
  get: defineOperation({
    id: 'logs.get',
    method: 'GET',
    path: '/logs/{logId}',
    summary: 'Shows a log with the request and the answer, or the results of guardrails.',
    scopes: ['logs.view', 'logs.read', 'logs.list', 'logs.write', 'completions.write'],
    query: z.strictObject({
      workspace_id: z.string().min(1).max(253).optional(),
      path_format: z.enum(['v1', 'v2']).optional(),
      created_at: dateTime.optional(),
      type: z.enum(['hooks']).optional(),
    }),
    answer: z.union([record, hooksRecord]),
  }),
} as const;
