/** Sends spans by OTLP over HTTP. OpenTelemetry's packages are loaded with the first batch: without spans they cost no memory. */
import type { SpanKind, TraceState } from '@opentelemetry/api';
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { Secret } from '../lib/secret.ts';
import type { SendSpans } from './queue.ts';
import type { Span, SpanEvent } from './span.ts';

export interface OtlpOptions {
  readonly url: string;
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
    const { exporter, resource } = await opening;
    const spans = batch.map((span) => toReadable(span, resource, options.version));
    await within(options.timeoutMs + GRACE_MS, exportAll(exporter, spans));
  };
}

async function openExporter({ url, headers, compression, timeoutMs, ca, resource }: OtlpOptions) {
  const [otlp, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
  ]);
  const exporter = new otlp.OTLPTraceExporter({
    url,
    headers: Object.fromEntries([...headers].map(([name, value]) => [name, value.reveal()])),
    timeoutMillis: timeoutMs,
    concurrencyLimit: MAX_HANGING,
    // The enum of the package is not there at compile time; its members are these texts.
    compression: compression as NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>['compression'] & string,
    httpAgentOptions: { keepAlive: true, ...(ca === undefined ? {} : { ca }) },
  });
  return { exporter, resource: resourceFromAttributes(resource) };
}

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
    attributes: span.attributes,
    links: [],
    events: span.events.map(toEvent),
    ended: true,
    resource,
    instrumentationScope: { name: SCOPE_NAME, version },
    ...NOTHING_DROPPED,
  };
}

const toEvent = ({ name, timeMs, attributes }: SpanEvent) => ({ name, time: toTime(timeMs), attributes });

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
