/** Rows as lines of an export. */
import type { ExportField, LogContent, LogRow } from '@gatehouse/crds/logs';

type Source = (row: LogRow, content: LogContent | undefined) => unknown;

const NANO_PER_CENT = 1e7;

/** In the words of the filters. */
const VALUES: Readonly<Record<ExportField, Source>> = {
  id: ({ id }) => id,
  trace_id: ({ trace_id }) => trace_id,
  created_at: ({ created_at }) => new Date(created_at).toISOString(),
  request: (_, content) => content?.request ?? null,
  response: (_, content) => content?.response ?? null,
  is_success: ({ status }) => status >= 200 && status <= 299,
  ai_org: ({ provider }) => provider,
  ai_model: ({ model }) => model,
  req_units: ({ input_tokens }) => input_tokens,
  res_units: ({ output_tokens }) => output_tokens,
  total_units: ({ total_tokens }) => total_tokens,
  request_url: ({ url }) => url,
  cost: ({ cost_nano }) => (cost_nano ?? 0) / NANO_PER_CENT,
  cost_currency: () => 'USD',
  response_time: ({ response_ms }) => response_ms,
  response_status_code: ({ status }) => status,
  mode: ({ mode }) => mode,
  config: ({ config }) => config,
  prompt_slug: ({ prompt }) => prompt,
  metadata: ({ metadata }) => metadata,
  runtime: ({ runtime }) => runtime,
  runtime_version: ({ runtime_version }) => runtime_version,
  sdk_version: ({ sdk_version }) => sdk_version,
  request_parsing_time: ({ request_parsing_ms }) => request_parsing_ms,
  pre_processing_time: ({ pre_processing_ms }) => pre_processing_ms,
  cache_processing_time: ({ cache_ms }) => cache_ms,
  response_parsing_time: ({ response_parsing_ms }) => response_parsing_ms,
};

/** Whether lines have what was said. */
export const needsContent = (fields: readonly ExportField[]): boolean =>
  fields.includes('request') || fields.includes('response');

/** One line of JSON, with its end. */
export const toLine = (row: LogRow, content: LogContent | undefined, fields: readonly ExportField[]): string =>
  `${JSON.stringify(Object.fromEntries(fields.map((field) => [field, VALUES[field](row, content)])))}\n`;
