/** Spans on their way out: a bounded queue that is sent in batches, one at a time. Nobody waits for it. */
import type { Span } from './span.ts';

/** Sends a batch. Rejects when it did not arrive, whatever was tried for it. */
export type SendSpans = (batch: readonly Span[]) => Promise<void>;

export interface SpanQueueOptions {
  /** Spans that may wait; more are dropped. */
  readonly maxSpans: number;
  /** Most spans of one batch. */
  readonly batchSpans: number;
  /** Content that may wait or be on its way, in bytes; spans beyond it lose theirs. */
  readonly maxContentBytes: number;
  /** Most content of one batch, in bytes; more only where one span has it. */
  readonly batchContentBytes: number;
  /** Longest wait of a span before its batch is sent, in ms. */
  readonly delayMs: number;
  readonly send: SendSpans;
  onSent(spans: number): void;
  /** `error`: undefined where the queue was full. */
  onDropped(spans: number, error?: unknown): void;
  /** A span goes without its content. */
  onContentDropped(): void;
}

export interface SpanQueue {
  add(spans: readonly Span[]): void;
  /** Sends what waits; resolves when it has arrived or was dropped. Later spans are dropped. Never rejects. */
  close(): Promise<void>;
}

export const createSpanQueue = (options: SpanQueueOptions): SpanQueue => new BatchedSpans(options);

class BatchedSpans implements SpanQueue {
  readonly #options: SpanQueueOptions;
  #waiting: Span[] = [];
  /** Bytes of content that wait. */
  #waitingBytes = 0;
  #sendingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
  }

  add(spans: readonly Span[]): void {
    const { maxSpans, onDropped } = this.#options;
    const room = this.#isClosed ? 0 : Math.max(0, maxSpans - this.#waiting.length);
    if (spans.length > room) onDropped(spans.length - room);
    for (const span of spans.slice(0, room)) this.#push(span);
    if (this.#sending !== undefined || this.#waiting.length === 0) return;
    if (this.#isFull()) this.#start();
    else this.#startTimer();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#sending === undefined && this.#waiting.length > 0) this.#start();
    await this.#sending;
  }

  #push(span: Span): void {
    const { maxContentBytes, onContentDropped } = this.#options;
    const bytes = bytesOf(span);
    if (this.#waitingBytes + this.#sendingBytes + bytes > maxContentBytes) {
      this.#waiting.push({ ...span, content: undefined });
      onContentDropped();
      return;
    }
    this.#waiting.push(span);
    this.#waitingBytes += bytes;
  }

  #isFull(): boolean {
    const { batchSpans, batchContentBytes } = this.#options;
    return this.#waiting.length >= batchSpans || this.#waitingBytes >= batchContentBytes;
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll();
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => this.#start(), this.#options.delayMs).unref();
  }

  async #sendAll(): Promise<void> {
    const { send, onSent, onDropped } = this.#options;
    do {
      const batch = this.#takeBatch();
      try {
        await send(batch);
        onSent(batch.length);
      } catch (error) {
        onDropped(batch.length, error);
      }
    } while (this.#isFull() || (this.#isClosed && this.#waiting.length > 0));
    this.#sendingBytes = 0;
    this.#sending = undefined;
    if (this.#waiting.length > 0) this.#startTimer();
  }

  #takeBatch(): readonly Span[] {
    const { batchSpans, batchContentBytes } = this.#options;
    let bytes = 0;
    const rest = this.#waiting.findIndex((span, at) => {
      const size = bytesOf(span);
      const isEnough = at >= batchSpans || (bytes > 0 && bytes + size > batchContentBytes);
      if (!isEnough) bytes += size;
      return isEnough;
    });
    const batch = rest < 0 ? this.#waiting : this.#waiting.slice(0, rest);
    this.#waiting = rest < 0 ? [] : this.#waiting.slice(rest);
    this.#waitingBytes -= bytes;
    this.#sendingBytes = bytes;
    return batch;
  }
}

const bytesOf = ({ content }: Span): number => content?.bytes ?? 0;
