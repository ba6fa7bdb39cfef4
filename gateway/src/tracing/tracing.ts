import type { RequestRecord, Sink, WatchedGuardrails } from '../record/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { createOtlpSender, type OtlpOptions } from './otlp.ts';
import { createSpanQueue } from './queue.ts';
import { createSampler, type SamplerOptions } from './sampler.ts';
import { guardrailSpan, type SpanOptions, spansOf } from './spans.ts';

export interface TracingOptions extends OtlpOptions, SpanOptions {
  readonly sampler: SamplerOptions;
  /** Whether providers are told in which trace they are called. */
  readonly propagates: boolean;
  readonly queue: { readonly maxSpans: number; readonly batchSpans: number; readonly delayMs: number };
  readonly metrics: Pick<Metrics, 'spansExported' | 'spansDropped' | 'spanContentDropped'>;
  readonly logger: Logger;
}

export interface Tracing {
  /** For the requests that are to come. */
  readonly rules: {
    sample(traceId: string, parent: boolean | undefined): boolean;
    readonly propagates: boolean;
  };
  /** Whether bodies of a request are shown, where logging allows it. */
  readonly showsContent: boolean;
  readonly sink: Sink;
  /** Exports what waits, for so long at most. Never rejects. */
  close(limitMs: number): Promise<void>;
}

/** What waits as UTF-8 may take twice as much memory. */
const MAX_CONTENT_BYTES = 16 * 1024 * 1024;
/** Collectors take messages of 4 MiB over gRPC where nothing else is set: beside it, there are all other attributes. */
const BATCH_CONTENT_BYTES = 2 * 1024 * 1024;

/** Failures between two lines of the log are only counted. */
const LOG_EVERY_MS = 60_000;

export function openTracing(options: TracingOptions): Tracing {
  const { metrics, logger, guardrails } = options;
  const report = createReport(logger, options.url);
  const queue = createSpanQueue({
    ...options.queue,
    ...{ maxContentBytes: MAX_CONTENT_BYTES, batchContentBytes: BATCH_CONTENT_BYTES },
    onContentDropped: () => metrics.spanContentDropped.add({}),
    send: createOtlpSender(options),
    onSent: (spans) => {
      metrics.spansExported.add({}, spans);
      report.good();
    },
    onDropped: (spans, error) => {
      metrics.spansDropped.add({ reason: error === undefined ? 'queue_full' : 'export_failed' }, spans);
      report.bad(spans, error);
    },
  });
  return {
    rules: { sample: createSampler(options.sampler), propagates: options.propagates },
    showsContent: options.content !== undefined,
    sink: {
      name: 'spans',
      readsUsage: true,
      record: (record: RequestRecord) => queue.add(spansOf(record, options)),
      watched: ({ trace: { span }, guardrails: facts }: WatchedGuardrails) => {
        if (guardrails && span?.sampled === true) queue.add(facts.map((fact) => guardrailSpan(fact, span)));
      },
    },
    close: async (limitMs) => {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limitMs);
      });
      await Promise.race([queue.close(), limit]);
      clearTimeout(timer);
    },
  };
}

/** One line when the export begins to fail, one a minute while it does, one when it works again. */
function createReport(logger: Logger, url: string) {
  const collector = new URL(url).host; // the rest of an address may hold a key
  let failing = false;
  let loggedMs = Number.NEGATIVE_INFINITY;
  let dropped = 0;
  return {
    good: (): void => {
      if (!failing) return;
      failing = false;
      logger.info({ collector }, 'Spans are exported again');
    },
    bad: (spans: number, error: unknown): void => {
      failing = true;
      dropped += spans;
      const nowMs = performance.now();
      if (nowMs - loggedMs < LOG_EVERY_MS) return;
      loggedMs = nowMs;
      logger.warn({ collector, dropped, reason: reasonOf(error) }, 'Spans were dropped');
      dropped = 0;
    },
  };
}

const MAX_REASON_CHARS = 200;

function reasonOf(error: unknown): string {
  if (error === undefined) return 'too many spans wait for export';
  const text = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return `${text.slice(0, MAX_REASON_CHARS)}${code}`;
}
