/** OTLP as protobuf. Source: opentelemetry/proto/collector/trace/v1, trace/v1, resource/v1 and common/v1 */
import { Message, malformed } from './protobuf.ts';
import {
  type Attributes,
  type AttributeValue,
  checkCount,
  MAX_ATTRIBUTES,
  MAX_EVENTS,
  MAX_ITEMS,
  MAX_RESOURCES,
  MAX_SCOPES,
  MAX_SPANS,
  MAX_VALUE_DEPTH,
  type OtlpSpan,
  once,
  placeOf,
  type SpanReader,
} from './span.ts';
import { MAX_PART_WORK, Work } from './work.ts';

/** Fields that are read before the first span: messages of resources and scopes, and where spans begin. */
const MAX_OUTER_FIELDS = 20_000;

/**
 * Readers of the spans. They, and this, throw PARAMETER_INVALID for bytes that are no ExportTraceServiceRequest, and
 * BODY_TOO_COMPLEX for more than `maxFields` fields together, or too many in one part.
 */
export function readProtobuf(bytes: Buffer, maxFields: number): readonly SpanReader[] {
  const whole = new Work(maxFields);
  const outer = new Work(MAX_OUTER_FIELDS, whole);
  const part = (): Work => new Work(MAX_PART_WORK, whole);
  const readers: SpanReader[] = [];
  let scopes = 0;
  // One more than may be: the number is checked.
  const resources = new Message(bytes, outer, { 1: MAX_RESOURCES + 1 }).all(1);
  checkCount('resources', resources.length);
  resources.forEach((each, i) => {
    const resourceSpans = new Message(each, outer, { 2: MAX_SCOPES + 1 });
    const resource = once(() => resourceOf(resourceSpans.bytes(1), part()));
    const scopeSpans = resourceSpans.all(2);
    scopes += scopeSpans.length;
    checkCount('scopes', scopes);
    scopeSpans.forEach((scope, j) => {
      new Message(scope, outer, { 2: MAX_SPANS + 1 }).all(2).forEach((span, k) => {
        readers.push(() => spanOf(span, { resource: resource(), place: placeOf(i, j, k), work: part() }));
        checkCount('spans', readers.length);
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
  const span = new Message(bytes, work, { 9: MAX_ATTRIBUTES, 11: MAX_EVENTS });
  return {
    ...context,
    traceId: span.bytes(1).toString('hex'),
    spanId: span.bytes(2).toString('hex'),
    parentSpanId: span.bytes(4).toString('hex'),
    name: span.text(5),
    startMs: span.ms(7),
    endMs: span.ms(8),
    attributes: attributesOf(span.all(9), work),
    events: span.all(11).map((each) => {
      const event = new Message(each, work, { 3: MAX_ATTRIBUTES });
      return { name: event.text(2), attributes: attributesOf(event.all(3), work) };
    }),
    failed: new Message(span.bytes(15), work).number(3) === STATUS_ERROR,
  };
}

const STATUS_ERROR = 2;

const resourceOf = (bytes: Buffer, work: Work): Attributes =>
  attributesOf(new Message(bytes, work, { 1: MAX_ATTRIBUTES }).all(1), work);

/** KeyValue: 1 key, 2 value. */
function attributesOf(pairs: readonly Buffer[], work: Work): Attributes {
  const out = new Map<string, AttributeValue>();
  for (const bytes of pairs) {
    const pair = new Message(bytes, work);
    out.set(pair.text(1), anyValue(pair.bytes(2), MAX_VALUE_DEPTH, work));
  }
  return out;
}

/** AnyValue: 1 text, 2 flag, 3 whole number, 4 number, 5 list, 6 object, 7 bytes. */
function anyValue(bytes: Buffer, depth: number, work: Work): AttributeValue {
  if (depth === 0) return null;
  const found = new Message(bytes, work).oneOf(7);
  if (found === undefined) return null;
  const [number, value] = found;
  if (Buffer.isBuffer(value)) return delimitedValue(number, value, { depth: depth - 1, work });
  if (number === 2) return Number(value) !== 0;
  return number === 3 ? Number(BigInt.asIntN(64, BigInt(value))) : null;
}

interface Nested {
  readonly depth: number;
  readonly work: Work;
}

function delimitedValue(number: number, value: Buffer, { depth, work }: Nested): AttributeValue {
  switch (number) {
    case 1:
      return value.toString('utf8');
    case 4:
      if (value.length !== 8) throw malformed();
      return finite(value.readDoubleLE());
    case 5:
      return itemsOf(value, work).map((item) => anyValue(item, depth, work));
    case 6: {
      const pairs = itemsOf(value, work).map((item) => new Message(item, work));
      return Object.fromEntries(pairs.map((pair) => [pair.text(1), anyValue(pair.bytes(2), depth, work)]));
    }
    case 7:
      return value.toString('base64');
    default:
      return null;
  }
}

const itemsOf = (list: Buffer, work: Work): readonly Buffer[] => new Message(list, work, { 1: MAX_ITEMS }).all(1);

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
