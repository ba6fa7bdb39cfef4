/** Identifiers and headers of W3C Trace Context, https://www.w3.org/TR/trace-context/. */
import { hash } from 'node:crypto';
import { randomHex } from './random.ts';

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;
const ZEROS = /^0+$/;
const SAMPLED = 1;

export interface TraceParent {
  readonly traceId: string;
  readonly parentId: string;
  readonly sampled: boolean;
}

/** All-zero identifiers and malformed values count as absent. */
export function parseTraceparent(value: string | undefined): TraceParent | undefined {
  const match = value === undefined ? null : TRACEPARENT.exec(value);
  if (match === null) return undefined;
  const [, traceId = '', parentId = '', flags = ''] = match;
  if (ZEROS.test(traceId) || ZEROS.test(parentId)) return undefined;
  return { traceId, parentId, sampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

export const toTraceparent = (traceId: string, spanId: string, sampled: boolean): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

/** The given text where it is a trace id (a UUID without its dashes is), else one that is the same for the same text. */
export const toTraceId = (given: string): string => identifier(given, TRACE_ID, 32);

/** The given text where it is a span id, else one that is the same for the same text. */
export const toSpanId = (given: string): string => identifier(given, SPAN_ID, 16);

/** Undefined: it is none. */
export const asSpanId = (given: string | undefined): string | undefined =>
  given !== undefined && SPAN_ID.test(given) && !ZEROS.test(given) ? given : undefined;

export function newSpanId(): string {
  const id = randomHex(16);
  return ZEROS.test(id) ? newSpanId() : id;
}

function identifier(given: string, valid: RegExp, length: number): string {
  const plain = given.replaceAll('-', '').toLowerCase();
  if (valid.test(plain) && !ZEROS.test(plain)) return plain;
  return hash('sha256', given, 'hex').slice(0, length);
}
