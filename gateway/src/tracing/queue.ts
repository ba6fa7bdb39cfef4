/** Spans on their way out: a bounded queue that is sent in batches, one at a time. Nobody waits for it. */
import type { Span } from './span.ts';

/** Sends a batch. Rejects when it did not arrive, whatever was tried for it. */
export type SendSpans = (batch: readonly Span[]) => Promise<void>;

export interface SpanQueueOptions {
  /** Spans that may wait; more are dropped. */
  readonly maxSpans: number;
  /** Most spans of one batch. */
  readonly batchSpans: number;
  /** Longest wait of a span before its batch is sent, in ms. */
  readonly delayMs: number;
  readonly send: SendSpans;
  onSent(spans: number): void;
  /** `error`: undefined where the queue was full. */
  onDropped(spans: number, error?: unknown): void;
}

export interface SpanQueue {
  add(spans: readonly Span[]): void;
  /** Sends what waits; resolves when it has arrived or was dropped. Later spans are dropped. Never rejects. */
  close(): Promise<void>;
}

export function createSpanQueue(options: SpanQueueOptions): SpanQueue {
  const { maxSpans, batchSpans, delayMs, send, onSent, onDropped } = options;
  let waiting: Span[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let closed = false;

  const sendAll = async (): Promise<void> => {
    do {
      const batch = waiting.slice(0, batchSpans);
      waiting = waiting.slice(batchSpans);
      try {
        await send(batch);
        onSent(batch.length);
      } catch (error) {
        onDropped(batch.length, error);
      }
    } while (waiting.length >= batchSpans || (closed && waiting.length > 0));
    sending = undefined;
    if (waiting.length > 0) startTimer();
  };
  const start = (): void => {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendAll();
  };
  const startTimer = (): void => {
    timer ??= setTimeout(start, delayMs).unref();
  };
  return {
    add: (spans) => {
      const room = closed ? 0 : maxSpans - waiting.length;
      if (spans.length > room) onDropped(spans.length - Math.max(0, room));
      for (let i = 0; i < Math.min(room, spans.length); i += 1) {
        const span = spans[i];
        if (span !== undefined) waiting.push(span);
      }
      if (sending !== undefined || waiting.length === 0) return;
      if (waiting.length >= batchSpans) start();
      else startTimer();
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      if (sending === undefined && waiting.length > 0) start();
      await sending;
    },
  };
}
