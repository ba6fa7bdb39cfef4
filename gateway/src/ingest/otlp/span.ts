/** Spans as OTLP sends them. Source: opentelemetry/proto/trace/v1/trace.proto, opentelemetry/proto/common/v1/common.proto */
import { AppError } from '../../errors/index.ts';

/** Bytes are base64. */
export type AttributeValue =
  | string
  | number
  | boolean
  | null
  | readonly AttributeValue[]
  | { readonly [name: string]: AttributeValue };

export type Attributes = ReadonlyMap<string, AttributeValue>;

export interface OtlpSpan {
  /** Where it stands in the request, for texts. */
  readonly place: string;
  /** Hex digits, in lower case. */
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: a root. */
  readonly parentSpanId: string;
  readonly name: string;
  /** Unix time in ms. */
  readonly startMs: number;
  readonly endMs: number;
  readonly failed: boolean;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
  /** Of what has made the span. */
  readonly resource: Attributes;
}

/** Reads a span when its turn comes. */
export type SpanReader = () => OtlpSpan;

/** Of one call. */
export const MAX_RESOURCES = 1_000;
export const MAX_SCOPES = 2_000;
export const MAX_SPANS = 2_000;
const MOST = { resources: MAX_RESOURCES, scopes: MAX_SCOPES, spans: MAX_SPANS } as const;

/** Throws PARAMETER_INVALID. */
export function checkCount(what: keyof typeof MOST, count: number): void {
  if (count <= MOST[what]) return;
  throw new AppError('PARAMETER_INVALID', {
    param: 'resourceSpans',
    detail: `There are more than ${MOST[what]} ${what}; send them in parts`,
  });
}

/** Reads a resource with the first of its spans. */
export function once<T>(read: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: read() };
    return made.value;
  };
}

/** Levels of lists and objects in a value. */
export const MAX_VALUE_DEPTH = 32;
/** As many as OpenTelemetry keeps of a span by default. */
export const MAX_ATTRIBUTES = 128;
export const MAX_EVENTS = 128;
/** Of a list or an object in a value. */
export const MAX_ITEMS = 128;

export const placeOf = (resource: number, scope: number, span: number): string =>
  `resourceSpans[${resource}].scopeSpans[${scope}].spans[${span}]`;
