/** The rows of a finished request: docs/behaviour/request-logs.md#rows. */
import { randomUUID } from 'node:crypto';
import type { LogDecision, LogGuardrail, LogRow, LogSource } from '@gatehouse/crds/logs';
import type { AttemptFacts, CallerFacts, GuardrailFacts, RequestRecord } from '../../record/index.ts';

export interface RowOptions {
  /** Of this package. */
  readonly gatewayVersion: string;
}

/** Most that a decision lists of one kind. */
const MAX_LISTED = 64;
/** Longest path that is kept, in characters. */
const MAX_URL_CHARS = 2_048;

/** Empty for a request whose caller is not known. */
export function rowsOf(record: RequestRecord, options: RowOptions): readonly LogRow[] {
  const { caller, attempts, answeredBy } = record;
  if (caller === undefined) return [];
  const shared = sharedColumns(record, caller, options);
  if (attempts.length === 0) return [{ ...shared, ...columnsWithout(record), decision: decisionOf(record, undefined) }];
  const last = attempts.length - 1;
  const final = answeredBy === undefined ? last : attempts.indexOf(answeredBy);
  return attempts.map((attempt, i) => ({
    ...shared,
    ...columnsOf(record, attempt, { index: i, isFinal: i === final }),
    decision: decisionOf(record, attempt),
  }));
}

type Shared = Pick<
  LogRow,
  | 'workspace'
  | 'trace_id'
  | 'request_id'
  | 'span_id'
  | 'parent_span_id'
  | 'span_name'
  | 'api_key'
  | 'api_key_name'
  | 'key_user'
  | 'end_user'
  | 'environment'
  | 'source'
  | 'operation'
  | 'method'
  | 'url'
  | 'config'
  | 'config_version'
  | 'mode'
  | 'prompt'
  | 'prompt_version'
  | 'is_stream'
  | 'metadata'
  | 'snapshot'
  | 'gateway_version'
  | 'document'
>;

function sharedColumns({ request, route, answer }: RequestRecord, caller: CallerFacts, options: RowOptions): Shared {
  const { trace, metadata } = request;
  const [prompt = null, promptVersion = null] = route.prompt?.split('@') ?? [];
  return {
    workspace: caller.workspace,
    trace_id: trace.traceId,
    request_id: randomUUID(),
    span_id: trace.spanId ?? null,
    parent_span_id: trace.parentSpanId ?? null,
    span_name: trace.spanName ?? null,
    api_key: caller.keyId,
    api_key_name: caller.key,
    key_user: caller.user ?? null,
    end_user: metadata['_user'] ?? request.user ?? null,
    environment: metadata['_environment'] ?? null,
    source: sourceOf(request.operation),
    operation: request.operation,
    method: request.method,
    url: request.path.slice(0, MAX_URL_CHARS),
    config: route.config ?? null,
    config_version: route.configVersion ?? null,
    mode: route.mode ?? null,
    prompt,
    prompt_version: promptVersion,
    is_stream: answer.stream,
    metadata,
    snapshot: answer.snapshot,
    gateway_version: options.gatewayVersion,
    document: 'none',
  };
}

function sourceOf(operation: string): LogSource {
  if (operation === 'proxy') return 'proxy';
  return operation === 'realtime' ? 'realtime' : 'unified';
}

type Own = Omit<LogRow, keyof Shared | 'decision'>;

/** Of a request that no target was tried for. */
const columnsWithout = ({ request, answer, decisions }: RequestRecord): Own => ({
  ...NO_TARGET,
  ...NO_USAGE,
  id: randomUUID(),
  created_at: Math.round(request.startedAtMs),
  attempt: 0,
  is_final: true,
  status: answer.status,
  error: answer.error?.code ?? null,
  retries: 0,
  response_ms: answer.firstByteMs,
  upstream_ms: 0,
  last_byte_ms: answer.durationMs,
  gateway_ms: answer.firstByteMs,
  is_denied: decisions.guardrails.some(isDenial),
});

const NO_TARGET = {
  ...{ provider: null, account: null, model: null, answered_model: null },
  ...{ target: null, target_index: null, cache: null },
} as const;

const NO_USAGE = {
  ...{ input_tokens: 0, output_tokens: 0, total_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 },
  ...{ cost_nano: null, is_estimated: false, is_unpriced: false },
} as const;

interface Place {
  readonly index: number;
  readonly isFinal: boolean;
}

function columnsOf(record: RequestRecord, attempt: AttemptFacts, { index, isFinal }: Place): Own {
  const { request, answer, decisions } = record;
  const { status, error, durationMs, upstreamMs, startedAtMs, target } = attempt;
  const untilEndMs = request.startedAtMs + answer.durationMs - startedAtMs;
  return {
    id: randomUUID(),
    created_at: Math.round(startedAtMs),
    attempt: index,
    is_final: isFinal,
    status: isFinal ? answer.status : status,
    error: (isFinal ? answer.error : error)?.code ?? null,
    provider: attempt.provider ?? null,
    account: attempt.account ?? null,
    model: attempt.model ?? null,
    answered_model: attempt.answeredModel ?? null,
    target: target ?? null,
    target_index: indexOf(target),
    cache: attempt.cache ?? null,
    retries: isFinal ? (decisions.retries ?? 0) : Math.max(0, attempt.calls - 1),
    response_ms: durationMs,
    upstream_ms: upstreamMs,
    last_byte_ms: isFinal ? Math.max(durationMs, untilEndMs) : durationMs,
    gateway_ms: Math.max(0, durationMs - upstreamMs),
    ...usageOf(attempt),
    is_denied: decisions.guardrails.some((guardrail) => guardrail.target === target && isDenial(guardrail)),
  };
}

const usageOf = ({ usage, cost }: AttemptFacts) => ({
  input_tokens: usage?.input ?? 0,
  output_tokens: usage?.output ?? 0,
  total_tokens: usage?.total ?? 0,
  cached_tokens: usage?.cached ?? 0,
  reasoning_tokens: usage?.reasoning ?? 0,
  cost_nano: cost?.nanoDollars ?? null,
  is_estimated: cost?.estimated ?? false,
  is_unpriced: cost?.unpriced ?? false,
});

/** `config.targets[1].targets[0]`: 1. */
function indexOf(path: string | undefined): number | null {
  const match = /^config\.targets\[(\d+)\]/.exec(path ?? '');
  return match === null ? null : Number(match[1]);
}

const isDenial = ({ denied, mode }: GuardrailFacts): boolean => denied && mode === 'enforce';

function decisionOf({ decisions }: RequestRecord, attempt: AttemptFacts | undefined): LogDecision {
  const limits = decisions.limits.verdicts();
  const guardrails = decisions.guardrails.filter(({ target }) => attempt === undefined || target === attempt.target);
  const dropped = attempt?.droppedParams ?? [];
  return {
    calls: attempt?.calls ?? 0,
    ...(decisions.attemptsExhausted ? { attempts_exhausted: true } : {}),
    ...(limits.length === 0 ? {} : { limits: limits.slice(0, MAX_LISTED) }),
    ...(guardrails.length === 0 ? {} : { guardrails: guardrails.slice(0, MAX_LISTED).map(toGuardrail) }),
    ...(dropped.length === 0 ? {} : { dropped_params: dropped }),
  };
}

function toGuardrail({ id, phase, verdict, denied, transformed, durationMs, checks }: GuardrailFacts): LogGuardrail {
  const failed = checks.filter((check) => !check.verdict && check.error === undefined).map((check) => check.id);
  const errored = checks.filter(({ error }) => error !== undefined).map((check) => check.id);
  return {
    id,
    phase,
    verdict,
    ...(denied ? { denied: true } : {}),
    ...(transformed ? { transformed: true } : {}),
    ms: Math.round(durationMs * 100) / 100,
    ...(failed.length === 0 ? {} : { failed: failed.slice(0, MAX_LISTED) }),
    ...(errored.length === 0 ? {} : { errored: errored.slice(0, MAX_LISTED) }),
  };
}
