/** A record as `gatehouse logs show` prints it. */
import { readFile, stat } from 'node:fs/promises';
import { isObject, parseJson } from '@gatehouse/crds';
import type { LogDecision, LogRequest, LogRow } from '@gatehouse/crds/logs';
import { entryId } from '@gatehouse/crds/snapshot';
import { isOnlyRow, type RecordedRequest } from '@gatehouse/gateway';
import { z } from 'zod';
import { UsageError } from '../shell.ts';
import { rowWith } from './compare.ts';

/** Documents have at most the bodies that gateways keep. */
const MAX_BYTES = 16 * 1024 * 1024;
const CENT_NANO = 1e7;

const SOURCES = ['unified', 'proxy', 'realtime', 'log'] as const satisfies readonly LogRow['source'][];
const text = z.string().nullable().default(null);
const count = z.int().min(0).default(0);
const metrics = z.object({
  workspace_slug: z.string(),
  ...{
    api_key_id: text,
    api_key_name: text,
    config: text,
    config_version_id: text,
    mode: text,
    error_code: text,
    ai_org: text,
  },
  ...{ ai_model: text, response_model: text, virtual_key: text, prompt_slug: text, prompt_version_id: text },
  ...{ last_used_option: text, cache_status: text, is_unpriced: z.boolean().default(false) },
  source: z.enum(SOURCES).default('unified'),
  ...{ operation: z.string(), request_url: z.string(), request_method: z.string() },
  ...{ response_status_code: z.int(), attempt: count, cost: z.number().min(0).nullable().default(null) },
  ...{ req_units: count, res_units: count, total_units: count, cached_units: count, reasoning_units: count },
  'metadata.key': z.array(z.string()).default([]),
  'metadata.value': z.array(z.string()).default([]),
});
const record = z.object({
  metrics,
  request: z.record(z.string(), z.unknown()).default({}),
  decision: z.looseObject({ calls: z.int().min(0).max(1_000) }),
});

/** Throws UsageError, which names the member that is wrong and none of the content. */
export async function readRecordFile(path: string): Promise<RecordedRequest> {
  const { size } = await stat(path);
  if (size > MAX_BYTES) throw new UsageError(`${path} has more than ${MAX_BYTES} bytes`);
  const json = jsonOf(await readFile(path, 'utf8'));
  if (json === undefined) throw new UsageError(`${path} is not the JSON of gatehouse logs show`);
  const parsed = record.safeParse(json);
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join('.') ?? '';
    throw new UsageError(`${path}: ${where} is not as gatehouse logs show prints it`);
  }
  const { metrics: of, request, decision } = parsed.data;
  const names = of['metadata.key'].map((name, at) => [name, of['metadata.value'][at] ?? ''] as const);
  const row = rowWith({
    ...{
      source: of.source,
      workspace: of.workspace_slug,
      api_key: keyOf(of),
      operation: of.operation,
      is_final: true,
    },
    ...{ method: of.request_method, url: of.request_url, attempt: of.attempt, status: of.response_status_code },
    ...{ error: of.error_code, provider: of.ai_org, account: of.virtual_key, model: of.ai_model },
    ...{ answered_model: of.response_model, config: of.config, config_version: of.config_version_id, mode: of.mode },
    ...{ target: of.last_used_option, prompt: of.prompt_slug, prompt_version: of.prompt_version_id },
    ...{ input_tokens: of.req_units, output_tokens: of.res_units, total_tokens: of.total_units },
    ...{ cached_tokens: of.cached_units, reasoning_tokens: of.reasoning_units, is_unpriced: of.is_unpriced },
    cost_nano: of.cost === null ? null : Math.round(of.cost * CENT_NANO),
    metadata: Object.fromEntries(names),
    decision: decision as unknown as LogDecision, // as the API shows it; what is read of it is small
  });
  return { rows: [row], isWhole: isOnlyRow(row), request: keptOf(request) };
}

/** Records name a key by its id in the management API, Snapshots by its workspace and name. */
function keyOf({
  workspace_slug: workspace,
  api_key_id: id,
  api_key_name: name,
}: z.output<typeof metrics>): string | null {
  return id === null || name === null || id.startsWith('key/') ? id : entryId('key', workspace, name);
}

function jsonOf(content: string): unknown {
  try {
    return parseJson(content);
  } catch {
    return undefined; // the error quotes the content
  }
}

/** Without headers and body the request is what its row says. */
const keptOf = (request: Readonly<Record<string, unknown>>): LogRequest | undefined =>
  isObject(request['gwHeaders']) || 'body' in request ? (request as unknown as LogRequest) : undefined;
