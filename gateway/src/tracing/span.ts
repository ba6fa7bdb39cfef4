/** A span as it waits for its export: plain data. */

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Record<string, AttributeValue>;

export interface SpanEvent {
  readonly name: string;
  /** Unix time in ms. */
  readonly timeMs: number;
  readonly attributes: Attributes;
}

export interface Span {
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** The parent is a span of another process. */
  readonly remoteParent: boolean;
  /** The `tracestate` of the trace. */
  readonly state: string | undefined;
  /** Unix time in ms. */
  readonly startMs: number;
  /** Unix time in ms. */
  readonly endMs: number;
  readonly failed: boolean;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
}
