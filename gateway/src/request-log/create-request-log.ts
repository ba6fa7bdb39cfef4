/** The request log of a process: a queue before a store, and the end of old days. */
import type { Logger, Metrics } from '../telemetry/index.ts';
import { BatchQueue } from './batch-queue.ts';
import type { LogStore } from './log-store.ts';
import type { LogRecord, RequestLog } from './request-log.ts';

export interface RequestLogOptions {
  readonly store: LogStore;
  /** Of records that wait. */
  readonly maxBytes: number;
  /** How long rows are kept, in ms; undefined: for ever. */
  readonly retentionMs: number | undefined;
  readonly metrics: Pick<Metrics, 'requestLogWritten' | 'requestLogDropped' | 'observeRequestLog'>;
  readonly logger: Logger;
  /** Unix time in ms. */
  now(): number;
}

/** Small enough that making a batch is no stall. Source: docs/behaviour/request-logs.md#writing */
const BATCH = { records: 500, bytes: 1024 * 1024, delayMs: 1_000 };
const RETRY_MS = [1_000, 30_000] as const;
/** About, of a row as JSON. */
const ROW_BYTES = 1_500;
/** Of the room, for records that their senders can send again. */
const ADMITTED_SHARE = 0.5;
/** Also a process that lives for less than an hour drops old days. */
const FIRST_SWEEP_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Failures between two lines of the log are only counted. */
const LOG_EVERY_MS = 60_000;

export function createRequestLog(options: RequestLogOptions): RequestLog {
  const { store, maxBytes, metrics } = options;
  const report = createReport(options);
  const queue = new BatchQueue({
    store,
    sizeOf,
    maxBytes,
    batch: BATCH,
    retryMs: RETRY_MS,
    onWritten: (records) => {
      metrics.requestLogWritten.add({}, records);
      report.good();
    },
    onDropped: (records, reason, error) => {
      metrics.requestLogDropped.add({ reason }, records);
      report.bad({ dropped: records, reason }, error);
    },
    onRetry: (error) => report.bad({ dropped: 0, reason: 'retry' }, error),
  });
  metrics.observeRequestLog(() => queue.bytes);
  const sweeping = sweepDays(options);
  return {
    isKept: () => true,
    admits: (records) => {
      const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0);
      const room = maxBytes * ADMITTED_SHARE;
      if (bytes > room) return 'never';
      return queue.bytes + bytes > room ? 'later' : 'now';
    },
    add: ({ row, content, rowBytes }: LogRecord) =>
      queue.add({ row: { ...row, document: content === undefined ? 'none' : 'database' }, content, rowBytes }),
    isBusy: () => queue.bytes > maxBytes * ADMITTED_SHARE,
    close: async (timeoutMs) => {
      sweeping.stop();
      await queue.close(timeoutMs);
      await store.close();
    },
  };
}

const sizeOf = ({ row, content = '', rowBytes = 0 }: LogRecord): number =>
  Math.max(ROW_BYTES + row.url.length, rowBytes) + content.length;

/** Each process does it: a day that is gone already is no work. */
function sweepDays({ store, retentionMs, logger, now }: RequestLogOptions): { stop(): void } {
  if (retentionMs === undefined) return { stop: () => undefined };
  const sweep = (): void => {
    store.dropBefore(now() - retentionMs).catch((error: unknown) => {
      logger.warn({ err: error, store: store.name }, 'Old days of the request log could not be dropped');
    });
  };
  const first = setTimeout(sweep, FIRST_SWEEP_MS).unref();
  const later = setInterval(sweep, HOUR_MS).unref();
  return {
    stop: () => {
      clearTimeout(first);
      clearInterval(later);
    },
  };
}

/** One line when writing begins to fail, one a minute while it does, one when it works again. */
function createReport({ store, logger }: RequestLogOptions) {
  let failing = false;
  let loggedMs = Number.NEGATIVE_INFINITY;
  let dropped = 0;
  return {
    good: (): void => {
      if (!failing) return;
      failing = false;
      logger.info({ store: store.name }, 'Request log is written again');
    },
    bad: (what: { readonly dropped: number; readonly reason: string }, error: unknown): void => {
      failing = true;
      dropped += what.dropped;
      const nowMs = performance.now();
      if (nowMs - loggedMs < LOG_EVERY_MS) return;
      loggedMs = nowMs;
      logger.warn({ err: error, store: store.name, dropped, reason: what.reason }, 'Request log could not be written');
      dropped = 0;
    },
  };
}
