/** The times of rows: docs/behaviour/request-logs.md#rows. */
import type { AttemptFacts, RequestRecord } from '../../record/index.ts';
import type { Times } from './row.ts';

export const NO_TIMES: Times = {
  ...{ response_ms: 0, upstream_ms: 0, last_byte_ms: 0, gateway_ms: 0 },
  ...{ request_parsing_ms: null, pre_processing_ms: null, cache_ms: null, response_parsing_ms: null },
};

/** As the client has seen them: from the first byte of the request. The gateway's part is what no provider was waited for. */
export function finalTimes({ request, answer, attempts }: RequestRecord, own: AttemptFacts | undefined): Times {
  const { stream, firstByteMs, durationMs } = answer;
  const { parsingMs, startedAtMs } = request;
  const responseMs = stream ? firstByteMs : durationMs;
  let upstreamMs = 0;
  let firstAtMs = Number.POSITIVE_INFINITY; // calls for the request stand before the target that they were made for
  for (const attempt of attempts) {
    upstreamMs += attempt.upstreamMs;
    firstAtMs = Math.min(firstAtMs, attempt.startedAtMs);
  }
  const isMeasured = parsingMs !== undefined && attempts.length > 0;
  return {
    response_ms: round(responseMs),
    upstream_ms: round(own?.upstreamMs ?? 0),
    last_byte_ms: round(durationMs),
    gateway_ms: round(Math.max(0, responseMs - upstreamMs)),
    request_parsing_ms: maybe(parsingMs),
    pre_processing_ms: isMeasured ? round(Math.max(0, firstAtMs - startedAtMs - parsingMs)) : null,
    cache_ms: maybe(own?.parts?.cacheMs),
    response_parsing_ms: maybe(own?.parts?.mappingMs),
  };
}

export const attemptTimes = ({ durationMs, upstreamMs, parts }: AttemptFacts): Times => ({
  response_ms: round(durationMs),
  upstream_ms: round(upstreamMs),
  last_byte_ms: round(durationMs),
  gateway_ms: round(Math.max(0, durationMs - upstreamMs)),
  request_parsing_ms: null,
  pre_processing_ms: null,
  cache_ms: maybe(parts?.cacheMs),
  response_parsing_ms: maybe(parts?.mappingMs),
});

const maybe = (ms: number | undefined): number | null => (ms === undefined ? null : round(ms));

const round = (ms: number): number => Math.round(ms * 1_000) / 1_000;
