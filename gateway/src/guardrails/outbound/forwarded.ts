import { toSpanId, toTraceId, toTraceparent } from '../../lib/trace-context.ts';
import type { CheckSubject } from '../contract.ts';

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
  return toTraceparent(toTraceId(trace), toSpanId(span), true);
}
