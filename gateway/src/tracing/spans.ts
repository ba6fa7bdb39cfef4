/** The spans of a request, made from its record: names and attributes as OpenTelemetry's conventions for HTTP and GenAI have them. */
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { newSpanId } from '../lib/trace-context.ts';
import type { AttemptFacts, GuardrailFacts, RequestRecord, SpanIdentity, StepFacts } from '../record/index.ts';
import { withoutSecrets } from '../telemetry/index.ts';
import type { TokenUsage } from '../usage/index.ts';
import { type ContentOptions, contentOf } from './content/index.ts';
import { callAttributes } from './gen-ai.ts';
import type { Attributes, AttributeValue, Span, SpanEvent } from './span.ts';

/** How an operation is called in spans. */
export interface OperationNames {
  /** `gen_ai.operation.name`. */
  readonly genAi: string;
  /** The path of a request with its parameters as names; undefined: it has none. */
  routeOf(path: string): string | undefined;
}

export interface SpanOptions {
  /** By the ids of operations. */
  readonly operations: ReadonlyMap<string, OperationNames>;
  readonly guardrails: boolean;
  /** Undefined: no span shows what was said. */
  readonly content?: ContentOptions | undefined;
}

/** Operations whose prompts and answers are messages. */
const CONVERSATIONS: ReadonlySet<string> = new Set(['chat', 'text_completion']);

/** Longest text of an attribute, in characters: models and paths are named by clients. */
const MAX_CHARS = 256;
/** As many as OpenTelemetry keeps of a span. */
const MAX_EVENTS = 128;
const NANO = 1_000_000_000;
const NO_STEPS: readonly StepFacts[] = [];
const NO_EVENTS: readonly SpanEvent[] = [];

/** Empty where the trace is not exported. */
export function spansOf(record: RequestRecord, options: SpanOptions): readonly Span[] {
  const { span } = record.request.trace;
  if (span?.sampled !== true) return [];
  const spans = [requestSpan(record, span, options)];
  const ofTargets = new Map<string | undefined, string>();
  for (const attempt of record.attempts) {
    const made = attemptSpan(record, attempt, { span, ...options });
    spans.push(made);
    ofTargets.set(attempt.target, made.spanId);
  }
  for (const step of record.decisions.steps ?? NO_STEPS) {
    const parent = step.target === undefined ? undefined : ofTargets.get(step.target);
    spans.push(stepSpan(step, span, parent ?? span.spanId));
  }
  if (options.guardrails) for (const facts of record.decisions.guardrails) spans.push(guardrailSpan(facts, span));
  return spans;
}

/** Of a guardrail that ran within a request, or after its answer. */
export function guardrailSpan(facts: GuardrailFacts, request: SpanIdentity): Span {
  const { phase, startedAtMs, durationMs, denied, checks } = facts;
  const endMs = startedAtMs + durationMs;
  return {
    ...childOf(request, newSpanId()),
    name: `gw.guardrail.${phase}`,
    kind: 'internal',
    startMs: startedAtMs,
    endMs,
    failed: false,
    attributes: attributesOf({
      'gw.guardrail.id': facts.id,
      'gw.guardrail.type': facts.type,
      'gw.guardrail.phase': phase,
      'gw.guardrail.verdict': facts.verdict,
      'gw.guardrail.action': actionOf(facts),
      'gw.guardrail.deny': denied,
      'gw.guardrail.async': facts.async,
      'gw.guardrail.mode': facts.mode,
      'gw.guardrail.target': facts.target,
      'gw.guardrail.feedback': facts.feedback?.value,
    }),
    events: checks.slice(0, MAX_EVENTS).map((check) => ({
      name: 'gw.guardrail.check',
      timeMs: Math.min(endMs, startedAtMs + check.durationMs),
      attributes: attributesOf({
        'gw.guardrail.check.id': check.id,
        'gw.guardrail.check.verdict': check.verdict,
        'gw.guardrail.check.transformed': check.transformed,
        'gw.guardrail.check.duration_ms': check.durationMs,
        'error.type': check.error,
      }),
    })),
  };
}

const STEP_NAMES = { cache: 'gatehouse.cache.lookup', limits: 'gatehouse.limits.check' } as const;

function stepSpan(step: StepFacts, request: SpanIdentity, parentId: string): Span {
  const { kind, target, startedAtMs, durationMs, cache, refusedBy, error } = step;
  return {
    ...childOf(request, newSpanId()),
    parentId,
    name: STEP_NAMES[kind],
    kind: 'internal',
    startMs: startedAtMs,
    endMs: startedAtMs + durationMs,
    failed: error !== undefined,
    attributes: attributesOf({
      'gatehouse.target': target,
      'gatehouse.cache.status': cache,
      'gatehouse.limits.passed': kind === 'limits' ? error === undefined : undefined,
      'gatehouse.limits.refused_by': refusedBy,
      'error.type': error?.code,
    }),
    events: NO_EVENTS,
  };
}

const actionOf = ({ denied, transformed }: GuardrailFacts): string => {
  if (denied) return 'deny';
  return transformed ? 'transform' : 'none';
};

function requestSpan(record: RequestRecord, span: SpanIdentity, { operations }: SpanOptions): Span {
  const { request, caller, route, decisions, attempts, answer } = record;
  const { method, operation, startedAtMs, trace } = request;
  const path = operations.get(operation)?.routeOf(request.path);
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentId: span.parentId,
    remoteParent: true,
    state: span.state,
    name: path === undefined ? method : `${method} ${path}`,
    kind: 'server',
    startMs: startedAtMs,
    endMs: startedAtMs + answer.durationMs,
    failed: answer.status >= 500,
    attributes: attributesOf({
      'http.request.method': method,
      'http.route': path,
      'url.path': request.path,
      'http.response.status_code': answer.status,
      'http.request.body.size': request.bytes,
      'http.response.body.size': answer.bytes,
      'error.type': answer.error?.code ?? (answer.status >= 500 ? String(answer.status) : undefined),
      'user.id': caller?.user,
      'gatehouse.trace_id': trace.traceId,
      'gatehouse.span_name': trace.spanName,
      'gatehouse.operation': operation,
      'gatehouse.workspace': caller?.workspace,
      'gatehouse.api_key': caller?.key,
      'gatehouse.prompt': route.prompt,
      'gatehouse.config': route.config,
      'gatehouse.strategy': route.mode,
      'gatehouse.target': route.optionPath,
      'gatehouse.attempts': attempts.length,
      'gatehouse.attempts_exhausted': decisions.attemptsExhausted ? true : undefined,
      'gatehouse.stream': answer.stream,
      'gatehouse.time_to_first_byte_ms': answer.firstByteMs,
      'gatehouse.snapshot.version': answer.snapshot,
      ...metadataOf(request.metadata),
    }),
    events: NO_EVENTS,
  };
}

function metadataOf(metadata: Readonly<Record<string, string>>): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(withoutSecrets(metadata)))
    out[`gatehouse.metadata.${name}`] = String(value);
  return out;
}

interface AttemptContext extends SpanOptions {
  readonly span: SpanIdentity;
}

function attemptSpan(
  record: RequestRecord,
  attempt: AttemptFacts,
  { span, operations, content }: AttemptContext,
): Span {
  const { request, answer, answeredBy } = record;
  const { provider, model, status, error, calls, startedAtMs, durationMs, usage, cost, cache } = attempt;
  const operation = operations.get(request.operation)?.genAi ?? request.operation;
  const isRelayed = attempt === answeredBy && answer.stream;
  const endMs = isRelayed ? request.startedAtMs + answer.durationMs : startedAtMs + durationMs;
  const vendor = provider === undefined ? undefined : (PROVIDER_CATALOGUE.get(provider)?.genAiName ?? provider);
  const isError = error !== undefined || status >= 400;
  return {
    ...childOf(span, attempt.spanId ?? newSpanId()),
    name: model === undefined ? operation : cut(`${operation} ${model}`),
    kind: calls > 0 ? 'client' : 'internal',
    startMs: startedAtMs,
    endMs: Math.max(startedAtMs, endMs),
    failed: isError,
    attributes: attributesOf({
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': vendor,
      'gen_ai.system': vendor, // the name of the attribute before version 1.37 of the conventions
      'gen_ai.request.model': model,
      'gen_ai.response.model': attempt.answeredModel,
      'gen_ai.request.stream': isRelayed ? true : undefined,
      'gen_ai.response.time_to_first_chunk': isRelayed ? durationMs / 1000 : undefined,
      ...callAttributes(attempt),
      ...usageOf(usage),
      ...serverOf(attempt.origin),
      'http.response.status_code': status,
      'error.type': isError ? (error?.code ?? String(status)) : undefined,
      'gatehouse.calls': calls,
      'gatehouse.upstream_duration_ms': attempt.upstreamMs,
      'gatehouse.cache.status': cache,
      'gatehouse.cost.usd': cost && cost.nanoDollars / NANO,
      'gatehouse.usage.estimated': cost?.estimated === true ? true : undefined,
    }),
    content: spokenIn(record, attempt, { operation, content }),
    events: NO_EVENTS,
  };
}

interface SpokenOptions {
  readonly operation: string;
  readonly content: ContentOptions | undefined;
}

/** Only the attempt whose answer the client got. */
const spokenIn = (record: RequestRecord, attempt: AttemptFacts, { operation, content }: SpokenOptions) =>
  content !== undefined && attempt === record.answeredBy && CONVERSATIONS.has(operation)
    ? contentOf(record, content)
    : undefined;

const usageOf = (usage: TokenUsage | undefined): Partial<Record<string, number>> =>
  usage === undefined
    ? {}
    : {
        'gen_ai.usage.input_tokens': usage.input,
        'gen_ai.usage.output_tokens': usage.output,
        'gen_ai.usage.cache_read.input_tokens': usage.cached,
        'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite,
        'gen_ai.usage.reasoning.output_tokens': usage.reasoning,
      };

function serverOf(origin: string | undefined): Partial<Record<string, AttributeValue>> {
  if (origin === undefined || !URL.canParse(origin)) return {};
  const { hostname, port, protocol } = new URL(origin);
  return {
    'server.address': hostname,
    'server.port': port === '' ? DEFAULT_PORTS[protocol] : Number(port),
  };
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

const childOf = ({ traceId, spanId, state }: SpanIdentity, own: string) => ({
  traceId,
  spanId: own,
  parentId: spanId,
  remoteParent: false,
  state,
});

/** Those that are known; texts are cut, also in lists. */
function attributesOf(given: Readonly<Record<string, AttributeValue | undefined>>): Attributes {
  const out: Attributes = {};
  for (const name in given) {
    const value = given[name];
    if (value !== undefined) out[name] = shortened(value);
  }
  return out;
}

function shortened(value: AttributeValue): AttributeValue {
  if (typeof value === 'string') return cut(value);
  return typeof value === 'object' ? value.map(cut) : value;
}

const cut = (text: string): string => (text.length > MAX_CHARS ? text.slice(0, MAX_CHARS) : text);
