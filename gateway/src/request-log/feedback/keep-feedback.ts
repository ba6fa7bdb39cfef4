/** Feedback of guardrails on its way into the database of the request log, in a queue of its own. */
import { BatchQueue, type BatchQueueOptions } from '../batch-queue.ts';
import type { LogMetrics } from '../log-metrics.ts';
import type { LogStore } from '../log-store.ts';
import type { LogFeedback } from '../request-log.ts';

export interface FeedbackKeeper {
  /** Never fails and does not wait. */
  add(feedback: LogFeedback): void;
  /** Bytes that wait, about. */
  bytes(): number;
  /** How long the oldest has waited, in ms. */
  oldestMs(): number;
  /** What it adds to it, about. */
  bytesOf(feedback: readonly LogFeedback[]): number;
  close(timeoutMs: number): Promise<void>;
}

interface FeedbackOptions extends Pick<BatchQueueOptions, 'batch' | 'retryMs' | 'onRetry'> {
  readonly store: LogStore;
  readonly maxBytes: number;
  readonly metrics: LogMetrics;
  /** Some was dropped. Must not throw. */
  onDropped(feedback: number, reason: string, error: unknown): void;
}

/** Of a feedback without its metadata, in bytes. */
const OWN_BYTES = 600;
const MEMBER_BYTES = 64;

export function keepFeedback({ store, metrics, onDropped, ...options }: FeedbackOptions): FeedbackKeeper {
  const queue = new BatchQueue<LogFeedback>({
    ...options,
    store: { write: (batch) => store.writeFeedback(batch), isTemporary: (error) => store.isTemporary(error) },
    sizeOf,
    onWritten: (feedback) => metrics.guardrailFeedbackWritten.add({}, feedback),
    onDropped: (feedback, reason, error) => {
      metrics.guardrailFeedbackDropped.add({ reason }, feedback);
      onDropped(feedback, reason, error);
    },
  });
  return {
    add: (feedback) => queue.add(feedback),
    bytes: () => queue.bytes,
    oldestMs: () => queue.oldestMs,
    bytesOf: (given) => given.reduce((sum, one) => sum + sizeOf(one), 0),
    close: (timeoutMs) => queue.close(timeoutMs),
  };
}

function sizeOf({ metadata }: LogFeedback): number {
  let bytes = OWN_BYTES;
  for (const name in metadata) bytes += MEMBER_BYTES + 2 * (name.length + (metadata[name]?.length ?? 0));
  return bytes;
}
