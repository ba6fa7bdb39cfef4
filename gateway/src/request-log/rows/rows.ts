/** From the record of a request to its rows: docs/behaviour/request-logs.md. */
import { randomUUID, randomUUIDv7 } from 'node:crypto';
import type { LogRow, LogSource } from '@gatehouse/crds/logs';
import { hashId } from '../../lib/hash-id.ts';
import {
  type AttemptFacts,
  type CallerFacts,
  type GuardrailFacts,
  NO_GUARDRAILS,
  type OnceRow,
  type RequestRecord,
} from '../../record/index.ts';
import { withoutSecrets } from '../../telemetry/index.ts';
import { decisionOf } from './decision.ts';
import { type Shared, type TargetColumns, toRow, type UsageColumns } from './row.ts';
import { storableText } from './texts.ts';
import { attemptTimes, finalTimes, NO_TIMES } from './times.ts';

/** Longest names and identifiers of clients, in characters. */
const MAX_NAME = 256;
const MAX_PATH = 1_024;
/** The bound of metadata. */
const MAX_VALUE = 128;

interface RowContext {
  readonly record: RequestRecord;
  readonly shared: Shared;
}

export interface RowOptions {
  /** Of this package. */
  readonly gatewayVersion: string;
}

const NO_ROWS: readonly LogRow[] = [];

/** Calls that bring rows of their own, and have none themselves. */
const UNLOGGED: ReadonlySet<string> = new Set(['ingestLogs', 'ingestSpans']);

/**
 * One row for each attempt, in their order, and one more where none of them gave the client's result; no client gets that of an own call. After an
 * attempt that has counted rows of a batch come those of their models. None for a caller that is not known, for a request that another
 * gateway records, and for calls that bring rows.
 */
export function rowsOf(record: RequestRecord, { gatewayVersion }: RowOptions): readonly LogRow[] {
  const { caller, attempts, answeredBy } = record;
  if (caller === undefined || record.isPassedOn === true || UNLOGGED.has(record.request.operation)) return NO_ROWS;
  const context = { record, shared: sharedOf(record, { caller, gatewayVersion }) };
  const rows = attempts.flatMap((attempt, index) => {
    const row = attemptRow(attempt, index, context);
    return [row, ...shareRows(row, attempt, context)];
  });
  const hasFinal = answeredBy !== undefined && attempts.includes(answeredBy);
  return hasFinal || record.isOwnCall === true ? rows : [...rows, localRow(attempts.length, context)];
}

interface SharedParts {
  readonly caller: CallerFacts;
  readonly gatewayVersion: string;
}

function sharedOf({ request, route, answer }: RequestRecord, { caller, gatewayVersion }: SharedParts): Shared {
  const { trace, method, path, operation, client } = request;
  const metadata = metadataOf(request.metadata);
  const [prompt, promptVersion] = promptOf(route.prompt);
  return {
    workspace: caller.workspace,
    trace_id: storableText(trace.traceId, MAX_NAME),
    request_id: randomUUID(),
    parent_span_id: orNull(trace.parentSpanId, MAX_NAME),
    span_name: orNull(trace.spanName, MAX_NAME),
    api_key: caller.keyId,
    api_key_name: caller.key,
    key_user: caller.user ?? null,
    end_user: metadata['_user'] ?? orNull(request.user, MAX_VALUE),
    environment: metadata['_environment'] ?? null,
    source: sourceOf(operation),
    method: storableText(method, MAX_VALUE),
    url: storableText(path, MAX_PATH),
    config: route.config ?? null,
    config_version: route.configVersion ?? null,
    mode: route.mode ?? null,
    prompt,
    prompt_version: promptVersion,
    metadata,
    snapshot: answer.snapshot,
    gateway_version: gatewayVersion,
    runtime: client?.runtime ?? null,
    runtime_version: client?.runtimeVersion ?? null,
    sdk_version: client?.sdk ?? null,
  };
}

const orNull = (text: string | undefined, maxChars: number): string | null =>
  text === undefined ? null : storableText(text, maxChars);

/** Operations that are no part of the unified API. */
const SOURCES: Readonly<Record<string, LogSource | undefined>> = { proxy: 'proxy', realtime: 'realtime' };

const sourceOf = (operation: string): LogSource => SOURCES[operation] ?? 'unified';

const NO_METADATA: LogRow['metadata'] = {};

function metadataOf(given: Readonly<Record<string, string>>): LogRow['metadata'] {
  const names = Object.keys(given);
  if (names.length === 0) return NO_METADATA;
  const plain = withoutSecrets(given);
  const out: Record<string, string> = Object.create(null); // names come from clients
  for (const name of names) out[storableText(name, MAX_VALUE)] = storableText(String(plain[name]), MAX_VALUE);
  return out;
}

/** `slug@3` as slug and version. */
function promptOf(prompt: string | undefined): readonly [slug: string | null, version: string | null] {
  if (prompt === undefined) return [null, null];
  const at = prompt.lastIndexOf('@');
  return at < 0 ? [prompt, null] : [prompt.slice(0, at), prompt.slice(at + 1)];
}

function attemptRow(attempt: AttemptFacts, index: number, { record, shared }: RowContext): LogRow {
  const { request, route, answer, decisions, answeredBy } = record;
  const isFinal = attempt === answeredBy;
  const guardrails = guardrailsOf(record, attempt);
  const { status, error } = isFinal ? answer : attempt;
  const once = onceOf(record, attempt);
  const own = attempt.shares === undefined ? attempt : { ...attempt, usage: undefined, cost: undefined };
  return toRow(shared, {
    id: idOf(once),
    createdAt: once?.atMs ?? Math.floor(attempt.startedAtMs),
    spanId: isFinal ? orNull(request.trace.spanId, MAX_NAME) : (attempt.spanId ?? null),
    operation: attempt.operation ?? request.operation,
    attempt: index,
    isFinal: isFinal && record.isOwnCall !== true,
    status,
    error: error?.code ?? null,
    target: targetColumns(attempt),
    isStream: isFinal && answer.stream,
    times: isFinal ? finalTimes(record, attempt) : attemptTimes(attempt),
    used: usageColumns(own),
    isDenied: guardrails.some(isDenial),
    decision: decisionOf({ route, decisions, attempt: own, guardrails, isFinal }),
  });
}

/** What the rows of a batch used that an attempt has counted, by their models: beside the row of the attempt, which has none of it. */
function shareRows(row: LogRow, attempt: AttemptFacts, { record }: RowContext): readonly LogRow[] {
  const { shares = [], cost } = attempt;
  const once = onceOf(record, attempt);
  return shares.map(({ model, usage, cost: own }) => ({
    ...row,
    id: idOf(once, model ?? ''),
    is_final: false,
    is_stream: false,
    model: orNull(model, MAX_NAME),
    answered_model: orNull(model, MAX_NAME),
    ...NO_TIMES,
    ...usageColumns({ usage, cost: cost && { ...cost, ...own } }),
    is_denied: false,
    decision: { calls: 0 },
  }));
}

/** A new one, or that of what may be recorded again. */
const idOf = (once: OnceRow | undefined, ...parts: readonly string[]): string =>
  once === undefined ? randomUUIDv7() : hashId(['once', once.name, ...parts]);

/** What the result may be recorded again as; undefined: it is not the result, or is recorded once anyway. */
const onceOf = ({ once, answeredBy }: RequestRecord, attempt: AttemptFacts): OnceRow | undefined =>
  attempt === answeredBy ? once : undefined;

const targetColumns = (attempt: AttemptFacts): TargetColumns => ({
  provider: orNull(attempt.provider, MAX_VALUE),
  account: orNull(attempt.account, MAX_VALUE),
  model: orNull(attempt.model, MAX_NAME),
  answered_model: orNull(attempt.answeredModel, MAX_NAME),
  target: attempt.target ?? null,
  target_index: indexOf(attempt.target),
  cache: attempt.cache ?? null,
  retries: attempt.retries ?? 0,
  fell_back: attempt.fellBack === true,
});

const usageColumns = ({ usage, cost }: Pick<AttemptFacts, 'usage' | 'cost'>): UsageColumns => ({
  input_tokens: usage?.input ?? 0,
  output_tokens: usage?.output ?? 0,
  total_tokens: usage?.total ?? 0,
  cached_tokens: usage?.cached ?? 0,
  reasoning_tokens: usage?.reasoning ?? 0,
  cost_nano: cost?.nanoDollars ?? null,
  is_estimated: cost?.estimated ?? false,
  is_unpriced: cost?.unpriced ?? false,
});

/** Of a request that ended without an answer of a target. */
function localRow(index: number, { record, shared }: RowContext): LogRow {
  const { request, route, answer, decisions } = record;
  const guardrails = record.attempts.length === 0 ? decisions.guardrails : NO_GUARDRAILS;
  return toRow(shared, {
    id: randomUUIDv7(),
    createdAt: Math.floor(request.startedAtMs),
    spanId: orNull(request.trace.spanId, MAX_NAME),
    operation: request.operation,
    attempt: index,
    isFinal: true,
    status: answer.status,
    error: answer.error?.code ?? null,
    target: NO_TARGET,
    isStream: answer.stream,
    times: finalTimes(record, undefined),
    used: NO_TOKENS,
    isDenied: guardrails.some(isDenial),
    decision: decisionOf({ route, decisions, attempt: undefined, guardrails, isFinal: true }),
  });
}

const NO_TARGET: TargetColumns = {
  ...{ provider: null, account: null, model: null, answered_model: null, target: null, target_index: null },
  ...{ cache: null, retries: 0, fell_back: false },
};

const NO_TOKENS: UsageColumns = {
  ...{ input_tokens: 0, output_tokens: 0, total_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 },
  ...{ cost_nano: null, is_estimated: false, is_unpriced: false },
};

const isDenial = ({ denied, mode }: GuardrailFacts): boolean => denied && mode === 'enforce';

/** What guardrails said about the target of the attempt, whichever attempt of the request it is. */
const guardrailsOf = ({ decisions }: RequestRecord, { target }: AttemptFacts): readonly GuardrailFacts[] =>
  decisions.guardrails.length === 0
    ? decisions.guardrails
    : decisions.guardrails.filter((each) => each.target === target);

const INDEX = /^config\.targets\[(\d{1,5})\]/;

function indexOf(target: string | undefined): number | null {
  const index = target === undefined || target === 'config' ? undefined : INDEX.exec(target)?.[1];
  return index === undefined ? null : Number(index);
}
