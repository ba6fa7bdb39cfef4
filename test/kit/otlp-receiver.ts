/** A collector for OTLP over HTTP that reads what it gets by itself, by the protocol and not with the package that wrote it. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { waitFor } from './wait-for.ts';

type Value = string | number | boolean | readonly Value[];

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: a root. */
  readonly parentId: string;
  readonly state: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, Value>> }[];
  readonly resource: Readonly<Record<string, Value>>;
}

export interface OtlpReceiver extends AsyncDisposable {
  /** Base address, for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }[];
  /** How it answers from now on: with a status, or never. */
  answerWith(how: number | 'nothing'): void;
  /** The spans of a trace, once there are so many. */
  trace(traceId: string, count: number): Promise<readonly ReceivedSpan[]>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = [];
  const hanging = new Set<ServerResponse>();
  let answer: number | 'nothing' = 200;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const sent = Buffer.concat(chunks);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    requests.push({ path: request.url ?? '', headers: request.headers, body });
    if (answer === 'nothing') {
      hanging.add(response);
      return;
    }
    if (answer === 200) spans.push(...readSpans(body));
    response.writeHead(answer, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  const ofTrace = (traceId: string) => spans.filter((span) => span.traceId === traceId);
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    requests,
    answerWith: (how) => {
      answer = how;
    },
    trace: async (traceId, count) => {
      await waitFor(() => ofTrace(traceId).length >= count, { what: `${count} spans of the trace ${traceId}` });
      return ofTrace(traceId);
    },
    [Symbol.asyncDispose]: async () => {
      for (const response of hanging) response.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

type Field = readonly [number: number, value: Buffer | bigint];

/** The fields of a message. Source: https://protobuf.dev/programming-guides/encoding/ */
function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) throw new Error('a message ends early');
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('a message ends early');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    if (wire === 0) yield [tag >> 3, varint()];
    else if (wire === 1) yield [tag >> 3, take(8)];
    else if (wire === 5) yield [tag >> 3, take(4)];
    else if (wire === 2) yield [tag >> 3, take(Number(varint()))];
    else throw new Error(`wire type ${wire}`);
  }
}

const all = (bytes: Buffer, field: number): Buffer[] =>
  [...fieldsOf(bytes)].flatMap(([number, value]) => (number === field && Buffer.isBuffer(value) ? [value] : []));
const one = (bytes: Buffer, field: number): Buffer => all(bytes, field)[0] ?? Buffer.alloc(0);
const text = (bytes: Buffer, field: number): string => one(bytes, field).toString('utf8');
const number = (bytes: Buffer, field: number): number =>
  Number([...fieldsOf(bytes)].find(([at, value]) => at === field && typeof value === 'bigint')?.[1] ?? 0);
const nanos = (bytes: Buffer, field: number): bigint => one(bytes, field).readBigUInt64LE();

/** Field numbers: opentelemetry/proto/{collector/trace,trace,resource,common}/v1. */
function readSpans(body: Buffer): ReceivedSpan[] {
  return all(body, 1).flatMap((resourceSpans) => {
    const resource = attributesOf(one(resourceSpans, 1), 1);
    const spans = all(resourceSpans, 2).flatMap((scopeSpans) => all(scopeSpans, 2));
    return spans.map((span) => readSpan(span, resource));
  });
}

const KINDS = ['unspecified', 'internal', 'server', 'client'];

const readSpan = (span: Buffer, resource: ReceivedSpan['resource']): ReceivedSpan => ({
  traceId: one(span, 1).toString('hex'),
  spanId: one(span, 2).toString('hex'),
  state: text(span, 3),
  parentId: one(span, 4).toString('hex'),
  name: text(span, 5),
  kind: KINDS[number(span, 6)] as ReceivedSpan['kind'], // a test that expects another one fails
  startNs: nanos(span, 7),
  endNs: nanos(span, 8),
  attributes: attributesOf(span, 9),
  events: all(span, 11).map((event) => ({ name: text(event, 2), attributes: attributesOf(event, 3) })),
  failed: number(one(span, 15), 3) === 2,
  resource,
});

function attributesOf(bytes: Buffer, field: number): Record<string, Value> {
  return Object.fromEntries(all(bytes, field).map((pair) => [text(pair, 1), anyValueOf(one(pair, 2))]));
}

function anyValueOf(any: Buffer): Value {
  const [first] = fieldsOf(any);
  if (first === undefined) return '';
  const [field, value] = first;
  if (field === 5 && Buffer.isBuffer(value)) return all(value, 1).map(anyValueOf);
  if (typeof value === 'bigint') return field === 2 ? value === 1n : Number(BigInt.asIntN(64, value));
  return field === 4 ? value.readDoubleLE() : value.toString('utf8');
}
