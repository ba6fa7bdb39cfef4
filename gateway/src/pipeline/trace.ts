/** Trace identity of a request; docs/behaviour/requests.md and docs/behaviour/tracing.md. */
import { randomUUIDv7 } from 'node:crypto';
import { randomHex } from '../lib/random.ts';
import {
  asSpanId,
  newSpanId,
  parseTraceparent,
  type TraceParent,
  toTraceId,
  toTraceparent,
} from '../lib/trace-context.ts';
import type { ClientRequest, SpanIdentity, TraceContext } from './exchange.ts';

/** Trace ids that are echoed: at most 256 characters of visible ASCII, which is valid in a header. */
const TRACE_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/;
/** At least so many characters of `tracestate` are to be passed on. Source: W3C Trace Context, section 3.3.1.5. */
const TRACE_STATE = /^[\x20-\x7e]{1,512}$/;

/** How spans are made. */
export interface SpanRules {
  /** Whether the spans of a trace are exported. `parent`: what the sender of the request has decided, if there is one. */
  sample(traceId: string, parent: boolean | undefined): boolean;
  /** Whether providers are told in which trace they are called. */
  readonly propagates: boolean;
}

/**
 * The client's own identifiers win; a valid `traceparent` fills what is missing; the trace id always exists. With rules for
 * spans, the request is one as well.
 */
export function traceOf(request: ClientRequest, rules?: SpanRules): TraceContext {
  const parent = parseTraceparent(request.header('traceparent'));
  const own = request.header('x-gw-trace-id');
  const trace: TraceContext = {
    traceId: own !== undefined && TRACE_ID.test(own) ? own : (parent?.traceId ?? randomUUIDv7()),
    spanId: request.header('x-gw-span-id') ?? (parent && randomHex(16)),
    parentSpanId: request.header('x-gw-parent-span-id') ?? parent?.parentId,
    spanName: request.header('x-gw-span-name') ?? (parent && `${request.method} ${request.path}`),
  };
  if (rules === undefined) return trace;
  const span = spanOf(trace, parent, { rules, state: request.header('tracestate') });
  return { ...trace, spanId: trace.spanId ?? span.spanId, span };
}

interface SpanSource {
  readonly rules: SpanRules;
  readonly state: string | undefined;
}

/** The place in the trace of `traceparent`, else in one that the client's own identifiers name. */
function spanOf(trace: TraceContext, parent: TraceParent | undefined, { rules, state }: SpanSource): SpanIdentity {
  const traceId = parent?.traceId ?? toTraceId(trace.traceId);
  const parentId = parent?.parentId ?? asSpanId(trace.parentSpanId);
  const own = asSpanId(trace.spanId);
  return {
    traceId,
    spanId: own === undefined || own === parentId ? newSpanId() : own,
    parentId,
    sampled: rules.sample(traceId, parent?.sampled),
    propagates: rules.propagates,
    state: parent !== undefined && state !== undefined && TRACE_STATE.test(state) ? state : undefined,
  };
}

/** The headers of a call that a span of the request makes. */
export function traceHeaders({ traceId, sampled, state }: SpanIdentity, spanId: string): Record<string, string> {
  const traceparent = toTraceparent(traceId, spanId, sampled);
  return state === undefined ? { traceparent } : { traceparent, tracestate: state };
}
