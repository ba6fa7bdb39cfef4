import type { AttemptFacts, RequestRecord, Sink } from '../record/index.ts';
import type { TokenUsage } from '../usage/index.ts';
import type { Explained } from './capped.ts';
import { createGuardrailCounts } from './guardrail-counts.ts';
import type { Metrics } from './metrics.ts';

const NONE = 'none';
/** Of a US dollar. */
export const NANO = 1_000_000_000;

/** Counts every finished request. */
export function createMetricsSink(metrics: Metrics): Sink {
  const countGuardrail = createGuardrailCounts(metrics);
  return {
    name: 'metrics',
    readsUsage: true,
    record: (record) => {
      countRequest(metrics, record);
      for (const attempt of record.attempts) countAttempt(metrics, attempt);
      countCost(metrics, record);
      countErrors(metrics, record);
      for (const guardrail of record.decisions.guardrails) countGuardrail(guardrail);
    },
    watched: ({ guardrails }) => {
      for (const guardrail of guardrails) countGuardrail(guardrail);
    },
  };
}

function countRequest(metrics: Metrics, { request, attempts, answeredBy, answer, decisions }: RequestRecord): void {
  const { operation } = request;
  const provider = answeredBy?.provider ?? NONE;
  const upstreamMs = totalUpstreamMs(attempts);
  metrics.requests.add({ operation, provider, status: statusLabel(answer.status) });
  const explained = explainedBy(request, answer);
  metrics.duration.observe({ operation, provider }, answer.durationMs / 1000, explained);
  metrics.overhead.observe({ operation }, Math.max(0, answer.firstByteMs - upstreamMs) / 1000, explained);
  if (attempts.length > 0) metrics.upstream.observe({ operation, provider }, upstreamMs / 1000, explained);
  const { cache } = decisions;
  if (cache !== undefined && cache !== 'DISABLED') metrics.cache.add({ verdict: cache });
  if (decisions.attemptsExhausted) metrics.attemptsExhausted.add({ operation });
}

/** Undefined: the trace is not exported, or there is none. */
function explainedBy(
  { trace: { span }, startedAtMs }: RequestRecord['request'],
  { durationMs }: RequestRecord['answer'],
): Explained | undefined {
  if (span?.sampled !== true) return undefined;
  return { traceId: span.traceId, spanId: span.spanId, atMs: startedAtMs + durationMs };
}

/** Time spent waiting for providers, over all attempts, in ms. */
export const totalUpstreamMs = (attempts: readonly AttemptFacts[]): number =>
  attempts.reduce((sum, { upstreamMs }) => sum + upstreamMs, 0);

function countAttempt(metrics: Metrics, { provider = NONE, status, calls, usage }: AttemptFacts): void {
  metrics.attempts.add({ provider, outcome: status >= 200 && status <= 299 ? 'success' : 'failure' });
  if (calls > 1) metrics.retries.add({ provider }, calls - 1);
  if (usage !== undefined) countTokens(metrics, provider, usage);
}

function countTokens(metrics: Metrics, provider: string, { input, output }: TokenUsage): void {
  metrics.tokens.add({ provider, type: 'input' }, input);
  metrics.tokens.add({ provider, type: 'output' }, output);
}

function countCost(metrics: Metrics, { attempts, caller }: RequestRecord): void {
  for (const { provider = NONE, cost } of attempts) {
    if (cost === undefined) continue;
    const { nanoDollars, unpriced, estimated } = cost;
    if (nanoDollars > 0) metrics.cost.add({ provider, workspace: caller?.workspace ?? NONE }, nanoDollars / NANO);
    if (unpriced) metrics.unpriced.add({ provider });
    if (estimated) metrics.estimated.add({ provider });
  }
}

/** Counts each error once: that of the last target is the answer's, too. */
function countErrors(metrics: Metrics, { attempts, answer }: RequestRecord): void {
  if (answer.error === undefined && attempts.every(({ error }) => error === undefined)) return;
  const errors = new Set([...attempts, answer].map(({ error }) => error));
  for (const error of errors) if (error !== undefined) metrics.errors.add({ code: error.code });
}

/** Providers can make up statuses, and every label value is a time series. */
const statusLabel = (status: number): string => (status >= 100 && status <= 599 ? String(status) : 'other');
