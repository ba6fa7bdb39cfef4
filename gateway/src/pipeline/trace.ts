/** Trace identity of a request; W3C Trace Context. */
import { randomUUID } from 'node:crypto';
import { randomHex } from '../lib/random.ts';
import type { ClientRequest, TraceContext } from './exchange.ts';

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
/** Trace ids that are echoed: at most 256 characters of visible ASCII, which is valid in a header. */
const TRACE_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/;

/** The client's own identifiers win; a valid `traceparent` fills what is missing; the trace id always exists. */
export function traceOf(request: ClientRequest): TraceContext {
  const parent = parseTraceparent(request.header('traceparent'));
  const own = request.header('x-gw-trace-id');
  return {
    traceId: own !== undefined && TRACE_ID.test(own) ? own : (parent?.traceId ?? randomUUID()),
    spanId: request.header('x-gw-span-id') ?? (parent && randomHex(16)),
    parentSpanId: request.header('x-gw-parent-span-id') ?? parent?.parentId,
    spanName: request.header('x-gw-span-name') ?? (parent && `${request.method} ${request.path}`),
  };
}

/** All-zero identifiers and malformed values count as absent. */
export function parseTraceparent(value: string | undefined): { traceId: string; parentId: string } | undefined {
  const match = value === undefined ? null : TRACEPARENT.exec(value);
  if (match === null) return undefined;
  const [, traceId = '', parentId = ''] = match;
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(parentId) ? { traceId, parentId } : undefined;
}
