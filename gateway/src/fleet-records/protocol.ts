/**
 * Rows of the request log that sidecars send to their fleet: docs/behaviour/sidecars.md#request-log. The fleet sets the workspace of each row;
 * all else is bounded by the schema, so that no row makes a database refuse the rows of others.
 */
import type { LogDecision, LogGuardrail, LogRow, LogUsage } from '@gatehouse/crds/logs';
import { z } from 'zod';
import { type LogFeedback, MAX_SIDECAR_COST_NANO } from '../request-log/index.ts';
import {
  MAX_CHECKS,
  MAX_DROPPED,
  MAX_FEEDBACK,
  MAX_FEEDBACK_METADATA,
  MAX_METADATA,
  MAX_ROWS,
  MAX_UNITS,
  MAX_VERDICTS,
} from './counts.ts';

/** Where the fleet answers: `POST`, with the token of the pod in `x-gw-api-key`. */
export const RECORDS_PATH = '/sidecars/v1/records';

/** Of one call. */
export const MAX_CALL_BYTES: number = 2 * 1024 * 1024;
/**
 * Depth, values and bytes of a string in the JSON of a call; documents are strings in it. It is parsed in one piece. A full batch of rows with 40
 * members of metadata has fewer; a batch with more is halved by the sidecar.
 */
export const RECORDS_JSON = { depth: 10, nodes: 110_000, stringBytes: MAX_CALL_BYTES } as const;

/** Longest text of a row, in characters. */
const MAX_TEXT = 1_024;
const MAX_METADATA_TEXT = 128;
const MAX_TRACE_ID = 256;
/** Of what a client runs on. */
const MAX_CLIENT_TEXT = 64;
/** Of one attempt. */
const MAX_TOKENS = 1_000_000_000;
const MAX_MS = 1_000_000_000;
const MAX_SMALL = 32_767;

const text = z.string().max(MAX_TEXT);
const maybe = text.nullable();
const ms = z.number().min(0).max(MAX_MS);
const partMs = ms.nullable().default(null);
const client = z.string().max(MAX_CLIENT_TEXT).nullable().default(null);
const tokens = z.int().min(0).max(MAX_TOKENS);
const small = z.int().min(0).max(MAX_SMALL);
const checks = z.array(text).max(MAX_CHECKS).optional();

const guardrail = z.object({
  id: text,
  phase: z.enum(['input', 'output']),
  verdict: z.boolean(),
  denied: z.literal(true).optional(),
  transformed: z.literal(true).optional(),
  ms,
  failed: checks,
  errored: checks,
  feedback: z.uuid().optional(),
});

const modality = z.object({ input: tokens, output: tokens, cached: tokens });
/** Of units, and of qualities and sizes of images. */
const name = z.string().regex(/^[\w.-]{1,64}$/);

/** Whole numbers alone: prices are computed from them exactly. */
const usage = z.object({
  cache_write: tokens.optional(),
  cache_write_hour: tokens.optional(),
  text_output: tokens.optional(),
  audio: modality.optional(),
  image: modality.optional(),
  units: z
    .record(name, tokens)
    .refine((given) => Object.keys(given).length <= MAX_UNITS)
    .optional(),
  images: z.object({ count: tokens, quality: name.optional(), size: name.optional() }).optional(),
});

const decision = z.object({
  config_generation: z.int().min(0).optional(),
  calls: small,
  attempts_exhausted: z.literal(true).optional(),
  limits: z
    .array(z.object({ id: text, passed: z.boolean() }))
    .max(MAX_VERDICTS)
    .optional(),
  guardrails: z.array(guardrail).max(MAX_VERDICTS).optional(),
  dropped_params: z.array(text).max(MAX_DROPPED).optional(),
  price: text.optional(),
  usage: usage.optional(),
});

const cache = z.enum(['HIT', 'SEMANTIC HIT', 'MISS', 'SEMANTIC MISS', 'REFRESH', 'DISABLED']);

const metadata = z
  .record(z.string().max(MAX_METADATA_TEXT), z.string().max(MAX_METADATA_TEXT))
  .refine((given) => Object.keys(given).length <= MAX_METADATA);

/** Members that are not known here are left out. Metadata and units are read whole before they are counted: `isWithinCounts` comes first. */
export const wireRow = z.object({
  id: z.uuid(),
  created_at: z.int(),
  workspace: text,
  trace_id: text,
  request_id: z.uuid(),
  span_id: maybe,
  parent_span_id: maybe,
  span_name: maybe,
  /** Of the SidecarProfile: sidecars have no keys. */
  api_key: text,
  api_key_name: maybe,
  end_user: maybe,
  environment: maybe,
  source: z.enum(['unified', 'proxy', 'realtime']),
  operation: text,
  method: text,
  url: text,
  attempt: small,
  is_final: z.boolean(),
  status: z.int().min(0).max(999),
  error: maybe,
  provider: maybe,
  account: maybe,
  model: maybe,
  answered_model: maybe,
  config: maybe,
  config_version: maybe,
  mode: maybe,
  target: maybe,
  target_index: small.nullable(),
  prompt: maybe,
  prompt_version: maybe,
  is_stream: z.boolean(),
  cache: cache.nullable(),
  retries: z.int().min(-1).max(MAX_SMALL),
  response_ms: ms,
  upstream_ms: ms,
  last_byte_ms: ms,
  gateway_ms: ms,
  input_tokens: tokens,
  output_tokens: tokens,
  total_tokens: tokens,
  cached_tokens: tokens,
  reasoning_tokens: tokens,
  cost_nano: z.int().min(0).max(MAX_SIDECAR_COST_NANO).nullable(),
  is_estimated: z.boolean(),
  is_unpriced: z.boolean(),
  is_denied: z.boolean(),
  metadata,
  decision,
  snapshot: z.int().min(0),
  gateway_version: text,
  /** Sidecars of earlier versions do not say it. */
  fell_back: z.boolean().default(false),
  /** Nor these. */
  runtime: client,
  runtime_version: client,
  sdk_version: client,
  request_parsing_ms: partMs,
  pre_processing_ms: partMs,
  cache_ms: partMs,
  response_parsing_ms: partMs,
});

/** What the fleet decides itself. */
type OwnColumn = 'key_user' | 'document';
export type WireRow = z.infer<typeof wireRow>;
type WireDecision = WireRow['decision'];
/** Every other column travels, and every member of the decision but the cost that later prices have made. */
type Missing =
  | Exclude<keyof LogRow, OwnColumn | keyof WireRow>
  | Exclude<keyof LogDecision, 're_rated' | keyof WireDecision>
  | Exclude<keyof LogUsage, keyof NonNullable<WireDecision['usage']>>
  | Exclude<keyof LogGuardrail, keyof NonNullable<WireDecision['guardrails']>[number]>;
export const ALL_COLUMNS_TRAVEL: [Missing] extends [never] ? true : Missing = true;

/** Of a guardrail that ran in a sidecar. Metadata are read whole before they are counted. */
export const wireFeedback = z.object({
  id: z.uuid(),
  created_at: z.int(),
  workspace: text,
  trace_id: z.string().max(MAX_TRACE_ID),
  value: z.int().min(-10).max(10),
  weight: z.number().min(0).max(1),
  metadata: z
    .record(z.string().max(MAX_METADATA_TEXT), text)
    .refine((given) => Object.keys(given).length <= MAX_FEEDBACK_METADATA),
  api_key: text,
  guardrail: z.string().max(MAX_METADATA_TEXT),
});

type WireFeedback = z.infer<typeof wireFeedback>;
type MissingOfFeedback = Exclude<keyof LogFeedback, OwnColumn | keyof WireFeedback>;
export const ALL_OF_FEEDBACK_TRAVELS: [MissingOfFeedback] extends [never] ? true : MissingOfFeedback = true;

export const recordsRequest = z.object({
  /** Of the batch: one that is sent again is taken once. */
  id: z.string().regex(/^[\w-]{1,128}$/),
  records: z.array(z.object({ row: z.unknown(), content: z.string().optional() })).max(MAX_ROWS),
  feedback: z.array(z.unknown()).max(MAX_FEEDBACK).optional(),
});

export interface WireRecords {
  readonly id: string;
  readonly records: readonly { readonly row: LogRow; readonly content: string | undefined }[];
  readonly feedback?: readonly LogFeedback[];
}

/** How many rows, and feedback, were not taken, and never will be. */
export const recordsReply = z.object({ refused: z.int().min(0) });
export type RecordsReply = z.infer<typeof recordsReply>;
