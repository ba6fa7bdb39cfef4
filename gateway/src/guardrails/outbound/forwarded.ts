import { createHash } from 'node:crypto';
import type { CheckSubject } from '../contract.ts';

const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;
const ZEROS = /^0+$/;

/**
 * The client's headers of these names. A `traceparent` that is asked for but was not sent is made from the client's own trace
 * id. Source: W3C Trace Context, section 3.2.
 */
export function forwardedHeaders(
  names: readonly string[],
  subject: Pick<CheckSubject, 'header'>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of names) {
    const value = subject.header(name) ?? (name === 'traceparent' ? madeTraceparent(subject) : undefined);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

function madeTraceparent(subject: Pick<CheckSubject, 'header'>): string | undefined {
  const trace = subject.header('x-gw-trace-id');
  if (trace === undefined || trace === '') return undefined;
  const span = subject.header('x-gw-span-id') ?? `${trace} span`;
  return `00-${identifier(trace, TRACE_ID, 32)}-${identifier(span, SPAN_ID, 16)}-01`;
}

/** The given one where it is valid (a UUID without its dashes is), else one that is the same for the same text. */
function identifier(given: string, valid: RegExp, length: number): string {
  const plain = given.replaceAll('-', '').toLowerCase();
  if (valid.test(plain) && !ZEROS.test(plain)) return plain;
  return createHash('sha256').update(given).digest('hex').slice(0, length);
}
