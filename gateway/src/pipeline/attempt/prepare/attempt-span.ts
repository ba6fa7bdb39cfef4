import { newSpanId } from '../../../lib/trace-context.ts';
import type { SpanIdentity } from '../../exchange.ts';
import { traceHeaders } from '../../trace.ts';

/** The span of an attempt, whose id is known before its calls are made. */
export interface AttemptSpan {
  readonly id: string;
  /** Of every call; undefined: the provider is not told. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

export function attemptSpan(request: SpanIdentity): AttemptSpan {
  const id = newSpanId();
  return { id, headers: request.propagates ? traceHeaders(request, id) : undefined };
}
