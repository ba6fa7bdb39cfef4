/** After the last byte: metrics and the request log; DESIGN section 6 "settle". */
import { parseHeaderList } from '../lib/header-list.ts';
import type { Answer, AttemptFacts, Exchange } from '../pipeline/index.ts';
import { type Logger, type Metrics, maskHeaders } from '../telemetry/index.ts';
import type { Sent } from './respond.ts';

export interface SettlePorts {
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Header names, lower case, that this deployment masks in every log. */
  readonly headersToMask: readonly string[];
}

const NONE = 'none';

/** Counts and logs one finished request. Never throws into the request. */
export function settle(ports: SettlePorts, exchange: Exchange, answer: Answer, sent: Sent): void {
  const { metrics, logger } = ports;
  const { facts } = answer;
  const operation = exchange.operation.id;
  const provider = facts.provider ?? NONE;
  const endedMs = performance.now();
  const seconds = (endedMs - exchange.startedMs) / 1000;
  const overhead = Math.max(0, sent.firstByteMs - exchange.startedMs - facts.upstreamMs) / 1000;

  metrics.requests.add({ operation, provider, status: statusLabel(statusOf(answer, sent)) });
  metrics.duration.observe({ operation, provider }, seconds);
  metrics.overhead.observe({ operation }, overhead);
  if (facts.attempts.length > 0) metrics.upstream.observe({ operation, provider }, facts.upstreamMs / 1000);
  if (facts.cacheStatus !== undefined && facts.cacheStatus !== 'DISABLED')
    metrics.cache.add({ verdict: facts.cacheStatus });
  for (const attempt of facts.attempts) countAttempt(metrics, attempt);
  if (facts.attemptsExhausted) metrics.attemptsExhausted.add({ operation });
  if (sent.tokens !== undefined) {
    metrics.tokens.add({ provider, type: 'input' }, sent.tokens.input);
    metrics.tokens.add({ provider, type: 'output' }, sent.tokens.output);
  }
  const error = sent.error ?? facts.error;
  countErrors(metrics, facts, sent);
  if (logger.isLevelEnabled('debug'))
    logger.debug({ ...idsOf(exchange), headers: headersOf(exchange, ports) }, 'Request received');
  if (logger.isLevelEnabled('info')) logger.info(recordOf(exchange, answer, sent, endedMs), 'Request finished');
  if (error !== undefined && error.row.log !== 'info')
    logger[error.row.log]({ err: error, ...idsOf(exchange) }, 'Request failed');
}

/** Each error once: that of the last target is the answer's, too. */
function countErrors(metrics: Metrics, facts: Answer['facts'], sent: Sent): void {
  const all = [...facts.attempts.map((attempt) => attempt.error), facts.error, sent.error];
  const known = all.filter((error) => error !== undefined);
  if (known.length > 0) for (const { code } of new Set(known)) metrics.errors.add({ code });
}

function countAttempt(metrics: Metrics, { provider = NONE, status, calls }: AttemptFacts): void {
  metrics.attempts.add({ provider, outcome: status >= 200 && status <= 299 ? 'success' : 'failure' });
  if (calls > 1) metrics.retries.add({ provider }, calls - 1);
}

/** The request's headers for the debug log, masked by deployment, organisation and request (11.8). */
function headersOf({ request, snapshot }: Exchange, { headersToMask }: SettlePorts): Record<string, string> {
  const asked = parseHeaderList(request.header('x-gw-sensitive-headers') ?? '');
  return maskHeaders(request.headers(), new Set([...headersToMask, ...snapshot.organisation.headersToMask, ...asked]));
}

/** 499 for a client that left, as nginx logs it; it never goes on the wire. */
const statusOf = ({ status }: Answer, { error }: Sent): number => (error?.code === 'CLIENT_CLOSED' ? 499 : status);

/** Providers can make up statuses, and every label value is a time series. */
const statusLabel = (status: number): string => (status >= 100 && status <= 599 ? String(status) : 'other');

const idsOf = ({ trace }: Exchange): object => ({
  traceId: trace.traceId,
  ...(trace.spanId === undefined ? {} : { spanId: trace.spanId }),
});

/** The decision record in short (DESIGN section 10); the log drops undefined members. */
function recordOf(exchange: Exchange, answer: Answer, sent: Sent, endedMs: number): object {
  const { facts } = answer;
  return {
    ...idsOf(exchange),
    method: exchange.request.method,
    path: exchange.request.path,
    operation: exchange.operation.id,
    status: statusOf(answer, sent),
    key: facts.caller?.key.name,
    workspace: facts.caller?.workspace.name,
    provider: facts.provider,
    model: facts.model === '' ? undefined : facts.model,
    config: facts.config,
    option: facts.optionPath,
    attempts: facts.attempts.length,
    retries: facts.retries,
    attemptsExhausted: facts.attemptsExhausted ? true : undefined,
    cache: facts.cacheStatus,
    stream: facts.stream,
    snapshot: exchange.snapshot.version,
    durationMs: round(endedMs - exchange.startedMs),
    firstByteMs: round(sent.firstByteMs - exchange.startedMs),
    upstreamMs: round(facts.upstreamMs),
    tokens: sent.tokens,
    error: (sent.error ?? facts.error)?.code,
  };
}

const round = (ms: number): number => Math.round(ms * 100) / 100;
