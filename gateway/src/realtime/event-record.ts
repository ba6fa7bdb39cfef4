/** The records of a session: one for each event that counts; docs/behaviour/realtime.md#records. */
import type { AppError } from '../errors/index.ts';
import { toUnixMs } from '../lib/clock.ts';
import { newSpanId } from '../lib/trace-context.ts';
import type { Answer, Exchange } from '../pipeline/index.ts';
import type { FinishedRequest, Settlement, TraceContext } from '../record/index.ts';
import type { TokenUsage } from '../usage/index.ts';

export interface EventFacts {
  readonly type: string;
  /** `performance.now()` when what the event tells about began. */
  readonly startedMs: number;
  readonly endedMs: number;
  readonly bytes: number;
  readonly model: string | undefined;
  readonly usage: TokenUsage | undefined;
  readonly isError: boolean;
  /** What the gateway itself ended the session for. */
  readonly error?: AppError | undefined;
  /** Of the response that the event ends. */
  readonly settlement?: Settlement | undefined;
}

const CATEGORY = 'realtime';
const EMPTY = Buffer.alloc(0);

/** `opened`: the answer that opened the session. */
export function eventRecord(exchange: Exchange, opened: Answer, event: EventFacts): FinishedRequest {
  const { type, startedMs, endedMs, model, usage } = event;
  const { facts } = opened;
  const trace = eventTrace(exchange.trace, type);
  const status = event.isError ? (event.error?.row.status ?? 500) : 200;
  const durationMs = endedMs - startedMs;
  const attempt = facts.answeredBy && {
    ...facts.answeredBy,
    ...{ status, error: event.error, durationMs, upstreamMs: durationMs, startedAtMs: toUnixMs(startedMs) },
    spanId: facts.answeredBy.spanId === undefined ? undefined : newSpanId(),
    captured: undefined,
  };
  return {
    exchange: { ...exchange, startedMs, trace },
    answer: {
      status,
      body: { kind: 'bytes', bytes: EMPTY },
      facts: {
        ...facts,
        metadata: { ...facts.metadata, _realtime_event_type: type, _category: CATEGORY },
        attempts: attempt === undefined ? [] : [attempt],
        answeredBy: attempt,
        stream: false,
        error: event.error,
        settlement: event.settlement,
        counted: { usage, model, estimated: false },
        captured: undefined,
      },
    },
    sent: { firstByteMs: endedMs, bytes: event.bytes, error: undefined },
  };
}

/** The event as a span of its own in the trace of the session. */
function eventTrace({ span, ...trace }: TraceContext, spanName: string): TraceContext {
  const spanId = newSpanId();
  return { ...trace, spanId, spanName, ...(span === undefined ? {} : { span: { ...span, spanId } }) };
}
