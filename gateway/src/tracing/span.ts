/** A span as it waits for its export: plain data. */

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Record<string, AttributeValue>;

/** Prompts and answers, as attributes. */
export interface Content {
  readonly attributes: Readonly<Record<string, string>>;
  /** Of all of them, in UTF-8. */
  readonly bytes: number;
}

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
  /** Left out where too much of it waits for export. */
  readonly content?: Content | undefined;
  readonly events: readonly SpanEvent[];
}
