/** The request log of a process: a queue before a store, and the end of old days. */
import type { Logger } from '../telemetry/index.ts';
import { BatchQueue } from './batch-queue.ts';
import { boundStore } from './bounded-store.ts';
import { keepFeedback } from './feedback/index.ts';
import { type DocumentKeeper, type DocumentOptions, keepDocuments } from './keep-documents.ts';
import type { LogMetrics } from './log-metrics.ts';
import { type LogStore, toWaiting, type WaitingRecord } from './log-store.ts';
import { createReport } from './report.ts';
import type { LogRecord, RequestLog } from './request-log.ts';
import { TextPages } from './text-pages.ts';

export interface RequestLogOptions {
  readonly store: LogStore;
  /** Of records that wait. */
  readonly maxBytes: number;
  /** Of rows, documents and feedback in the store; undefined: as many as come. */
  readonly maxStoredBytes?: number | undefined;
  /** How long rows are kept, in ms; undefined: for ever, or it is not known yet. */
  retentionMs(): number | undefined;
  /** Undefined: documents are in the store of the rows. */
  readonly documents?: DocumentOptions | undefined;
  readonly metrics: LogMetrics;
  readonly logger: Logger;
  /** Unix time in ms. */
  now(): number;
}

/** Small enough that making a batch is no stall. Source: docs/behaviour/request-logs.md#writing */
const BATCH = { records: 500, bytes: 1024 * 1024, delayMs: 1_000 };
const RETRY_MS = [1_000, 30_000] as const;
/** Of a record that waits, beside its bytes, about. */
const OWN_BYTES = 300;
/** Of a whole one, about. */
const ROW_BYTES = 1_500;
/** Of the room in the queue, and of that for documents, for records that their senders can send again. */
const ADMITTED_SHARE = 0.5;
/** Also a process that lives for less than an hour drops old days. */
const FIRST_SWEEP_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Of the room in the queue, for feedback of guardrails. */
const FEEDBACK_SHARE = 1 / 16;
const WORDS = { good: 'Request log is written again', bad: 'Request log could not be written' };

export function createRequestLog(options: RequestLogOptions): RequestLog {
  const { maxBytes, maxStoredBytes, metrics, now, logger } = options;
  const store = boundStore(options.store, {
    maxBytes: maxStoredBytes,
    now,
    onFeedbackKept: (error) => logger.warn({ err: error }, 'Feedback above its bound could not be deleted'),
  });
  const report = createReport(options, WORDS);
  const pages = new TextPages();
  const toBytes = (text: string): Buffer => pages.put(text);
  const queue = new BatchQueue({
    store,
    sizeOf: bytesOfWaiting,
    maxBytes,
    batch: store.batch ?? BATCH,
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
  const feedback = keepFeedback({
    ...{
      store,
      metrics,
      batch: { ...BATCH, records: store.batch?.records ?? BATCH.records },
      retryMs: RETRY_MS,
      maxBytes: maxBytes * FEEDBACK_SHARE,
    },
    onDropped: (dropped, reason, error) => report.bad({ dropped, reason }, error),
    onRetry: (error) => report.bad({ dropped: 0, reason: 'retry' }, error),
  });
  const documents = options.documents && keepDocuments(options.documents, options);
  const waitingContent = (): number => documents?.bytes() ?? 0;
  metrics.observeRequestLog({
    bytes: () => queue.bytes + waitingContent() + feedback.bytes(),
    oldestSeconds: () => Math.max(queue.oldestMs, feedback.oldestMs()) / 1_000,
  });
  const sweeping = sweepDays(options);
  const room = maxBytes * ADMITTED_SHARE;
  return {
    isKept: () => true,
    admits: (records) => {
      const { rows, content } = bytesOf(records, documents);
      if (Math.max(rows, content) > room) return 'never';
      const isFull = content > 0 && waitingContent() + content > room;
      return isFull || queue.bytes + rows > room ? 'later' : 'now';
    },
    admitsFeedback: (given) => {
      const bytes = feedback.bytesOf(given);
      if (bytes > room * FEEDBACK_SHARE) return 'never';
      return feedback.bytes() + bytes > room * FEEDBACK_SHARE ? 'later' : 'now';
    },
    add: (record: LogRecord) => queue.add(toWaiting(placed(record, documents), store, toBytes)),
    addFeedback: (given) => feedback.add(given),
    isBusy: () => Math.max(queue.bytes, waitingContent()) > room,
    close: async (timeoutMs) => {
      sweeping.stop();
      await Promise.all([queue.close(timeoutMs), feedback.close(timeoutMs), documents?.close(timeoutMs)]);
      await store.close();
    },
  };
}

const bytesOfWaiting = ({ line, document }: WaitingRecord): number => OWN_BYTES + line.length + (document?.length ?? 0);

/** About what it will take in the queue. */
const sizeOf = ({ row, content = '', rowBytes = 0 }: LogRecord): number =>
  Math.max(ROW_BYTES + row.url.length, rowBytes) + content.length;

/** What records take in the queue, and of the room for documents where they have one. */
function bytesOf(records: readonly LogRecord[], documents: DocumentKeeper | undefined) {
  const sums = { rows: 0, content: 0 };
  for (const { content, ...record } of records) {
    if (documents === undefined || content === undefined) sums.rows += sizeOf({ ...record, content });
    else {
      sums.rows += sizeOf({ ...record, content: undefined });
      sums.content += documents.bytesOf(content);
    }
  }
  return sums;
}

/** The row says where its document is. */
function placed(record: LogRecord, documents: DocumentKeeper | undefined): LogRecord {
  const { row, content } = record;
  if (content === undefined) return row.document === 'none' ? record : { ...record, row: { ...row, document: 'none' } };
  if (documents === undefined) return { ...record, row: { ...row, document: 'database' } };
  return { ...record, row: { ...row, document: documents.keep(row, content) ?? 'none' }, content: undefined };
}

/** Each process does it: a day that is gone already is no work. */
function sweepDays({ store, documents, retentionMs, logger, now }: RequestLogOptions): { stop(): void } {
  const sweep = (): void => {
    const keptMs = retentionMs();
    if (keptMs === undefined) return;
    for (const { name, dropBefore } of documents === undefined ? [store] : [store, documents.store]) {
      dropBefore(now() - keptMs).catch((error: unknown) => {
        logger.warn({ err: error, store: name }, 'Old days of the request log could not be dropped');
      });
    }
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
