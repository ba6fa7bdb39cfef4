/** Sends spans by OTLP, over HTTP or gRPC. OpenTelemetry's packages are loaded with the first batch: without spans they cost no memory. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SpanKind, TraceState } from '@opentelemetry/api';
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { Secret } from '../lib/secret.ts';
import { createGrpcClient, GrpcFailure } from './grpc.ts';
import type { SendSpans } from './queue.ts';
import type { Attributes, Span, SpanEvent } from './span.ts';

export interface OtlpOptions {
  /** Of gRPC: scheme, host and port. */
  readonly url: string;
  readonly protocol: 'http/protobuf' | 'grpc';
  readonly headers: ReadonlyMap<string, Secret>;
  readonly compression: 'none' | 'gzip';
  /** Longest time of one batch, its retries included, in ms. */
  readonly timeoutMs: number;
  /** PEM; undefined: what the process trusts. */
  readonly ca: string | undefined;
  /** Attributes of the process. */
  readonly resource: Readonly<Record<string, string>>;
  /** Of this package. */
  readonly version: string;
}

/** Batches beyond it are refused while earlier ones hang, though their time has passed. */
const MAX_HANGING = 4;
/** The exporter ends a batch itself, and says more about it. */
const GRACE_MS = 500;
const SCOPE_NAME = 'gatehouse';

/** Rejects with what the collector or the network said; the text of an answer is not part of it. */
export function createOtlpSender(options: OtlpOptions): SendSpans {
  let opening: ReturnType<typeof openExporter> | undefined;
  return async (batch) => {
    opening ??= openExporter(options);
    const { send, resource } = await opening;
    const spans = batch.map((span) => toReadable(span, resource, options.version));
    await within(options.timeoutMs + GRACE_MS, send(spans));
  };
}

type SendReadable = (spans: ReadableSpan[]) => Promise<void>;

async function openExporter(
  options: OtlpOptions,
): Promise<{ readonly send: SendReadable; readonly resource: Resource }> {
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const headers = Object.fromEntries([...options.headers].map(([name, value]) => [name, value.reveal()]));
  const open = options.protocol === 'grpc' ? openGrpc : openHttp;
  return { send: await open({ ...options, headers }), resource: resourceFromAttributes(options.resource) };
}

type Opening = Omit<OtlpOptions, 'headers'> & { readonly headers: Readonly<Record<string, string>> };

async function openHttp({ url, headers, compression, timeoutMs, ca }: Opening): Promise<SendReadable> {
  const otlp = await import('@opentelemetry/exporter-trace-otlp-proto');
  const exporter = new otlp.OTLPTraceExporter({
    url,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    concurrencyLimit: MAX_HANGING,
    // The enum of the package is not there at compile time; its members are these texts.
    compression: compression as NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>['compression'] & string,
    httpAgentOptions: { keepAlive: true, ...(ca === undefined ? {} : { ca }) },
  });
  return (spans) => exportAll(exporter, spans);
}

/** Waits between the tries of a batch, in ms. */
const GRPC_WAITS_MS = [250, 1_000, 4_000];
const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

async function openGrpc(options: Opening): Promise<SendReadable> {
  const { ProtobufTraceSerializer } = await import('@opentelemetry/otlp-transformer');
  const client = createGrpcClient(options);
  return async (spans) => {
    const message = ProtobufTraceSerializer.serializeRequest(spans);
    if (message === undefined) throw new Error('The spans cannot be written as protobuf');
    const endMs = performance.now() + options.timeoutMs;
    for (const waitMs of [...GRPC_WAITS_MS, Number.POSITIVE_INFINITY]) {
      try {
        return await client.call(EXPORT, message, Math.max(1, endMs - performance.now()));
      } catch (error) {
        if (!mayTryAgain(error) || performance.now() + waitMs >= endMs) throw error;
        await sleep(waitMs, undefined, { ref: false });
      }
    }
  };
}

/** CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, OUT_OF_RANGE, UNAVAILABLE and DATA_LOSS, as OTLP has it. */
const TEMPORARY: ReadonlySet<number> = new Set([1, 4, 8, 10, 11, 14, 15]);

/** A connection that fails may be another one soon. */
const mayTryAgain = (error: unknown): boolean => !(error instanceof GrpcFailure) || TEMPORARY.has(error.status);

function exportAll(exporter: OTLPTraceExporter, spans: ReadableSpan[]): Promise<void> {
  return new Promise((resolve, reject) => {
    exporter.export(spans, ({ error, code }) => {
      if (code === 0) resolve();
      else reject(error ?? new Error('The collector did not take the spans'));
    });
  });
}

function within(ms: number, sent: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The collector has not answered within ${ms} ms`)), ms);
  });
  return Promise.race([sent, late]).finally(() => clearTimeout(timer));
}

const KINDS: Readonly<Record<Span['kind'], SpanKind>> = { internal: 0, server: 1, client: 2 };
const UNSET = 0;
const ERROR = 2;
const SAMPLED = 1;
const NOTHING_DROPPED = { droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 };

function toReadable(span: Span, resource: Resource, version: string): ReadableSpan {
  const { traceId, parentId, remoteParent, startMs, endMs } = span;
  const traceState = span.state === undefined ? undefined : readOnly(span.state);
  const context = { traceId, traceFlags: SAMPLED, ...(traceState === undefined ? {} : { traceState }) };
  return {
    name: span.name,
    kind: KINDS[span.kind],
    spanContext: () => ({ ...context, spanId: span.spanId }),
    ...(parentId === undefined ? {} : { parentSpanContext: { ...context, spanId: parentId, isRemote: remoteParent } }),
    startTime: toTime(startMs),
    endTime: toTime(endMs),
    duration: toTime(endMs - startMs),
    status: { code: span.failed ? ERROR : UNSET },
    attributes: toAttributes({ ...span.attributes, ...span.content?.attributes }),
    links: [],
    events: span.events.map(toEvent),
    ended: true,
    resource,
    instrumentationScope: { name: SCOPE_NAME, version },
    ...NOTHING_DROPPED,
  };
}

const toEvent = ({ name, timeMs, attributes }: SpanEvent) => ({
  name,
  time: toTime(timeMs),
  attributes: toAttributes(attributes),
});

/** The package takes lists that it might change, which it does not. */
const toAttributes = (attributes: Attributes): ReadableSpan['attributes'] => attributes as ReadableSpan['attributes'];

/** Seconds and nanoseconds. */
function toTime(ms: number): [seconds: number, nanos: number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1_000_000)];
}

/** As it came. */
function readOnly(state: string): TraceState {
  const same: TraceState = { serialize: () => state, get: () => undefined, set: () => same, unset: () => same };
  return same;
}
