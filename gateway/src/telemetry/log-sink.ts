import type { AttemptFacts, CostFacts, GuardrailFacts, RequestRecord, Sink, TraceContext } from '../record/index.ts';
import type { ModalityTokens, TokenUsage } from '../usage/index.ts';
import { createLineWriter } from './line-writer.ts';
import type { Logger } from './logger.ts';
import { maskHeaders } from './mask.ts';
import { NANO, totalUpstreamMs } from './metrics-sink.ts';
import { withoutSecrets } from './redact.ts';

export interface LogSinkOptions {
  readonly logger: Logger;
  /** Header names, lower case, that this deployment masks in every log. */
  readonly headersToMask: readonly string[];
  /** Say why a request failed, in the words of its answer: they may hold what the client sent in the wrong place. */
  readonly reasons?: boolean;
}

/** Writes one line per finished request; at level debug the request's headers too, and each attempt. */
export function createLogSink({ logger, headersToMask, reasons = false }: LogSinkOptions): Sink {
  const own = new Set(headersToMask);
  const writeFinished = createLineWriter(logger, 'Request finished');
  return {
    name: 'log',
    readsUsage: true,
    record: (record) => {
      const { request, answer } = record;
      const isDebug = logger.isLevelEnabled('debug');
      if (isDebug) {
        const asked = request.sensitiveHeaders();
        const names = { has: (name: string) => own.has(name) || asked.has(name) };
        const headers = cleanHeaders(maskHeaders(request.headers(), names), record.clean);
        logger.debug({ ...idsOf(request.trace), headers }, 'Request received');
      }
      const { error } = answer;
      if (logger.isLevelEnabled('info')) {
        const reason = reasons ? error?.message : undefined;
        writeFinished(toLine(record, isDebug ? record.attempts.map(toTry) : undefined, reason));
      }
      if (error !== undefined && error.row.log !== 'info')
        logger[error.row.log]({ err: error, ...idsOf(request.trace) }, 'Request failed');
    },
    watched: ({ trace, guardrails }) =>
      logger.info({ ...idsOf(trace), guardrails: guardrails.map(toVerdict) }, 'Guardrails watched'),
  };
}

const cleanHeaders = (headers: Readonly<Record<string, string>>, clean: RequestRecord['clean']): object =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [clean(name), clean(value)]));

const idsOf = ({ traceId, spanId }: TraceContext): object => ({
  traceId,
  ...(spanId === undefined ? {} : { spanId }),
});

/** The record in short; the log drops undefined members. */
function toLine(
  { request, caller, route, decisions, attempts, answeredBy, answer }: RequestRecord,
  tries: readonly object[] | undefined,
  reason: string | undefined,
): object {
  const { trace, metadata } = request;
  return {
    traceId: trace.traceId,
    spanId: trace.spanId,
    parentSpanId: trace.parentSpanId,
    spanName: trace.spanName,
    method: request.method,
    path: request.path,
    operation: request.operation,
    status: answer.status,
    key: caller?.key,
    workspace: caller?.workspace,
    provider: answeredBy?.provider,
    model: answeredBy?.model,
    droppedParams: answeredBy && listOf(answeredBy.droppedParams),
    prompt: route.prompt,
    config: route.config,
    option: route.optionPath,
    attempts: attempts.length,
    retries: decisions.retries,
    attemptsExhausted: decisions.attemptsExhausted ? true : undefined,
    cache: decisions.cache,
    guardrails: decisions.guardrails.length === 0 ? undefined : decisions.guardrails.map(toVerdict),
    stream: answer.stream,
    snapshot: answer.snapshot,
    durationMs: round(answer.durationMs),
    firstByteMs: round(answer.firstByteMs),
    upstreamMs: round(totalUpstreamMs(attempts)),
    tokens: answeredBy?.usage && tokensOf(answeredBy.usage),
    cost: costLine(totalCost(attempts)),
    metadata: isEmpty(metadata) ? undefined : withoutSecrets(metadata),
    error: answer.error?.code,
    reason,
    tries,
  };
}

/** Counts that most answers lack are left out where they are 0. */
const tokensOf = ({ input, output, cached, cacheWrite, reasoning, audio, image }: TokenUsage): object => ({
  input,
  output,
  cached,
  cacheWrite: cacheWrite === 0 ? undefined : cacheWrite,
  reasoning: reasoning === 0 ? undefined : reasoning,
  audio: hasTokens(audio) ? audio : undefined,
  image: hasTokens(image) ? image : undefined,
});

/** Of all attempts: answers that nobody got have been paid for. */
function totalCost(attempts: readonly AttemptFacts[]): CostFacts | undefined {
  let total: CostFacts | undefined;
  for (const { cost } of attempts) {
    if (cost === undefined) continue;
    total =
      total === undefined
        ? cost
        : {
            nanoDollars: total.nanoDollars + cost.nanoDollars,
            unpriced: total.unpriced || cost.unpriced,
            estimated: total.estimated || cost.estimated,
          };
  }
  return total;
}

/** In US dollars. */
const costLine = (cost: CostFacts | undefined): object | undefined =>
  cost && {
    usd: cost.nanoDollars / NANO,
    unpriced: cost.unpriced ? true : undefined,
    estimated: cost.estimated ? true : undefined,
  };

const hasTokens = ({ input, output, cached }: ModalityTokens): boolean => input + output + cached > 0;

/** One attempt in short. */
function toTry(attempt: AttemptFacts): object {
  const { provider, model, answeredModel, droppedParams, status, error, cache, calls, durationMs, upstreamMs } =
    attempt;
  return {
    provider,
    model,
    answeredModel,
    droppedParams: listOf(droppedParams),
    status,
    error: error?.code,
    cache,
    calls,
    durationMs: round(durationMs),
    upstreamMs: round(upstreamMs),
  };
}

/** One guardrail in short, with the checks that did not pass and those that could not decide. */
function toVerdict({ id, phase, verdict, denied, mode, durationMs, feedback, checks }: GuardrailFacts): object {
  const hasPassed = checks.every((check) => check.verdict && check.error === undefined);
  return {
    id,
    phase,
    verdict,
    denied: denied ? true : undefined,
    mode: mode === 'monitor' ? mode : undefined,
    ...(hasPassed ? undefined : failuresOf(checks)),
    feedback: feedback?.value,
    durationMs: round(durationMs),
  };
}

const failuresOf = (checks: GuardrailFacts['checks']): object => ({
  failed: listOf(checks.filter((check) => !check.verdict && check.error === undefined).map((check) => check.id)),
  errored: listOf(checks.filter((check) => check.error !== undefined).map((check) => check.id)),
});

const listOf = (names: readonly string[]): readonly string[] | undefined => (names.length === 0 ? undefined : names);

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

const round = (ms: number): number => Math.round(ms * 100) / 100;
