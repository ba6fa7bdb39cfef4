/** The log line of a finished request: its members as JSON text, in a fixed order, without those that are not known. */
import type { AttemptFacts, RequestRecord } from '../record/index.ts';
import type { ModalityTokens, TokenUsage } from '../usage/index.ts';
import { totalUpstreamMs } from './metrics-sink.ts';
import { withoutSecrets } from './redact.ts';

/** No value but the metadata can hold a secret. */
export function requestLine({
  request,
  caller,
  route,
  decisions,
  attempts,
  answeredBy,
  answer,
}: RequestRecord): string {
  const { trace } = request;
  return (
    text(',"traceId":', trace.traceId) +
    text(',"spanId":', trace.spanId) +
    text(',"parentSpanId":', trace.parentSpanId) +
    text(',"spanName":', trace.spanName) +
    text(',"method":', request.method) +
    text(',"path":', request.path) +
    text(',"operation":', request.operation) +
    number(',"status":', answer.status) +
    text(',"key":', caller?.key) +
    text(',"workspace":', caller?.workspace) +
    text(',"provider":', answeredBy?.provider) +
    text(',"model":', answeredBy?.model) +
    text(',"config":', route.config) +
    text(',"option":', route.optionPath) +
    number(',"attempts":', attempts.length) +
    number(',"retries":', decisions.retries) +
    (decisions.attemptsExhausted ? ',"attemptsExhausted":true' : '') +
    text(',"cache":', decisions.cache) +
    (answer.stream ? ',"stream":true' : ',"stream":false') +
    number(',"snapshot":', answer.snapshot) +
    milliseconds(',"durationMs":', answer.durationMs) +
    milliseconds(',"firstByteMs":', answer.firstByteMs) +
    milliseconds(',"upstreamMs":', totalUpstreamMs(attempts)) +
    tokens(answeredBy?.usage) +
    metadataText(request.metadata) +
    text(',"error":', answer.error?.code)
  );
}

/** The attempts of a request in short, as a further member. */
export const attemptsText = (attempts: readonly AttemptFacts[]): string =>
  `,"tries":${JSON.stringify(attempts.map(inShort))}`;

function inShort({ error, durationMs, upstreamMs, ...attempt }: AttemptFacts): object {
  const { provider, model, answeredModel, status, cache, calls } = attempt;
  return {
    provider,
    model,
    answeredModel,
    status,
    error: error?.code,
    cache,
    calls,
    durationMs: round(durationMs),
    upstreamMs: round(upstreamMs),
  };
}

/** Counts that most answers lack are left out where they are 0. */
function tokens(usage: TokenUsage | undefined): string {
  if (usage === undefined) return '';
  const { input, output, cached, cacheWrite, reasoning, audio, image } = usage;
  return (
    number(',"tokens":{"input":', input) +
    number(',"output":', output) +
    number(',"cached":', cached) +
    (cacheWrite === 0 ? '' : number(',"cacheWrite":', cacheWrite)) +
    (reasoning === 0 ? '' : number(',"reasoning":', reasoning)) +
    modality(',"audio":', audio) +
    modality(',"image":', image) +
    '}'
  );
}

const modality = (name: string, { input, output, cached }: ModalityTokens): string =>
  input + output + cached > 0 ? name + JSON.stringify({ input, output, cached }) : '';

function metadataText(metadata: RequestRecord['request']['metadata']): string {
  for (const _ in metadata) return `,"metadata":${JSON.stringify(withoutSecrets(metadata))}`;
  return '';
}

const text = (name: string, value: string | undefined): string =>
  value === undefined ? '' : name + JSON.stringify(value);

/** What JSON has no number for is null. */
const number = (name: string, value: number | undefined): string =>
  value === undefined ? '' : name + (Number.isFinite(value) ? value : 'null');

const milliseconds = (name: string, ms: number): string => number(name, round(ms));

const round = (ms: number): number => Math.round(ms * 100) / 100;
