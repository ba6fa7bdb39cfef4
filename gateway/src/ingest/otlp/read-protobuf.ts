/** OTLP as protobuf. Source: opentelemetry/proto/collector/trace/v1, trace/v1, resource/v1 and common/v1 */
import { Message, malformed, type Work } from './protobuf.ts';
import {
  type Attributes,
  type AttributeValue,
  checkCount,
  MAX_ATTRIBUTES,
  MAX_EVENTS,
  MAX_VALUE_DEPTH,
  type OtlpSpan,
  placeOf,
  type SpanReader,
} from './span.ts';

/**
 * Readers of the spans. They, and this, throw PARAMETER_INVALID for bytes that are no ExportTraceServiceRequest, and
 * BODY_TOO_COMPLEX for more than `maxFields` fields together.
 */
export function readProtobuf(bytes: Buffer, maxFields: number): readonly SpanReader[] {
  const work = { left: maxFields };
  const readers: SpanReader[] = [];
  new Message(bytes, work).all(1).forEach((each, i) => {
    const resourceSpans = new Message(each, work);
    const resource = attributesOf(new Message(resourceSpans.bytes(1), work).all(1), work);
    resourceSpans.all(2).forEach((scopeSpans, j) => {
      new Message(scopeSpans, work).all(2).forEach((span, k) => {
        readers.push(() => spanOf(span, { resource, place: placeOf(i, j, k), work }));
        checkCount(readers.length);
      });
    });
  });
  return readers;
}

interface SpanContext extends Pick<OtlpSpan, 'resource' | 'place'> {
  readonly work: Work;
}

/** Numbers of fields: Span, Status, Event. */
function spanOf(bytes: Buffer, { work, ...context }: SpanContext): OtlpSpan {
  const span = new Message(bytes, work);
  return {
    ...context,
    traceId: span.bytes(1).toString('hex'),
    spanId: span.bytes(2).toString('hex'),
    parentSpanId: span.bytes(4).toString('hex'),
    name: span.text(5),
    startMs: span.ms(7),
    endMs: span.ms(8),
    attributes: attributesOf(span.all(9), work),
    events: span
      .all(11)
      .slice(0, MAX_EVENTS)
      .map((each) => {
        const event = new Message(each, work);
        return { name: event.text(2), attributes: attributesOf(event.all(3), work) };
      }),
    failed: new Message(span.bytes(15), work).number(3) === STATUS_ERROR,
  };
}

const STATUS_ERROR = 2;

/** KeyValue: 1 key, 2 value. */
function attributesOf(pairs: readonly Buffer[], work: Work): Attributes {
  const out = new Map<string, AttributeValue>();
  for (const bytes of pairs.slice(0, MAX_ATTRIBUTES)) {
    const pair = new Message(bytes, work);
    out.set(pair.text(1), anyValue(pair.bytes(2), MAX_VALUE_DEPTH, work));
  }
  return out;
}

/** AnyValue: 1 text, 2 flag, 3 whole number, 4 number, 5 list, 6 object, 7 bytes. */
function anyValue(bytes: Buffer, depth: number, work: Work): AttributeValue {
  let found: AttributeValue = null;
  if (depth === 0) return found;
  for (const [number, value] of new Message(bytes, work).fields) {
    if (typeof value === 'bigint') {
      if (number === 2) found = value !== 0n;
      if (number === 3) found = Number(BigInt.asIntN(64, value));
    } else found = delimitedValue(number, value, { depth: depth - 1, work }) ?? found;
  }
  return found;
}

interface Nested {
  readonly depth: number;
  readonly work: Work;
}

function delimitedValue(number: number, value: Buffer, { depth, work }: Nested): AttributeValue | undefined {
  switch (number) {
    case 1:
      return value.toString('utf8');
    case 4:
      if (value.length !== 8) throw malformed();
      return finite(value.readDoubleLE());
    case 5:
      return new Message(value, work).all(1).map((item) => anyValue(item, depth, work));
    case 6: {
      const pairs = new Message(value, work).all(1).map((item) => new Message(item, work));
      return Object.fromEntries(pairs.map((pair) => [pair.text(1), anyValue(pair.bytes(2), depth, work)]));
    }
    case 7:
      return value.toString('base64');
    default:
      return undefined;
  }
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
