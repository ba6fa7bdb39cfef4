/** Records on their way into a database: bounded in bytes, in batches that stay what they are. Nobody waits for it. */
import { randomUUID } from 'node:crypto';
import { type BatchLimits, RowsRefused, type SealedBatch, type WaitingRecord } from './log-store.ts';

/** Why records were dropped. */
export type DropReason = 'queue_full' | 'refused' | 'shutdown';

export interface BatchQueueOptions<T = WaitingRecord> {
  readonly store: {
    /** As that of a LogStore. */
    write(batch: SealedBatch<T>): Promise<void>;
    isTemporary(error: unknown): boolean;
  };
  /** In bytes, about. */
  readonly sizeOf: (record: T) => number;
  /** Of all that waits; beyond it the oldest batch that is not on its way is dropped. */
  readonly maxBytes: number;
  readonly batch: BatchLimits;
  /** Between the tries of a batch, doubled up to the second, in ms. */
  readonly retryMs: readonly [first: number, longest: number];
  onWritten(records: number): void;
  /** Told each time, with the error where there is one. Must not throw. */
  onDropped(records: number, reason: DropReason, error?: unknown): void;
  /** A batch waits for its next try. Must not throw. */
  onRetry(error: unknown): void;
}

interface Waiting<T> extends SealedBatch<T> {
  /** When its first record came, as `performance.now()`. */
  readonly sinceMs: number;
  readonly bytes: number;
  /** Records that are neither written nor refused yet. */
  left: number;
}

export class BatchQueue<T = WaitingRecord> {
  readonly #options: BatchQueueOptions<T>;
  /** The oldest first. */
  #sealed: Waiting<T>[] = [];
  #open: T[] = [];
  #openBytes = 0;
  #openSinceMs = 0;
  #bytes = 0;
  #sealTimer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  /** Is on its way to the store right now: what is dropped then would be written, and counted as lost. */
  #sending: Waiting<T> | undefined;
  #isClosing = false;
  #wake: (() => void) | undefined;

  constructor(options: BatchQueueOptions<T>) {
    this.#options = options;
  }

  /** Bytes that wait, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How long the oldest record has waited, in ms; 0: none waits. */
  get oldestMs(): number {
    const sinceMs = this.#sealed[0]?.sinceMs ?? (this.#open.length > 0 ? this.#openSinceMs : undefined);
    return sinceMs === undefined ? 0 : performance.now() - sinceMs;
  }

  /** Never fails and does not wait. */
  add(record: T): void {
    const { sizeOf, batch } = this.#options;
    if (this.#isClosing) {
      this.#options.onDropped(1, 'shutdown');
      return;
    }
    const bytes = sizeOf(record);
    if (this.#open.length === 0) this.#openSinceMs = performance.now();
    this.#open.push(record);
    this.#openBytes += bytes;
    this.#bytes += bytes;
    if (this.#open.length >= batch.records || this.#openBytes >= batch.bytes) this.#seal();
    else this.#sealTimer ??= setTimeout(() => this.#seal(), batch.delayMs).unref();
    this.#dropOldest();
  }

  /** Writes what waits, for so long at most, in ms. What is left then is dropped. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosing = true;
    this.#seal();
    this.#wake?.(); // the next try is now
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([this.#writing, late]);
    clearTimeout(timer);
    const left = this.#sealed.splice(0);
    const records = left.reduce((sum, batch) => sum + batch.left, 0);
    this.#bytes = 0;
    this.#wake?.();
    if (records > 0) this.#options.onDropped(records, 'shutdown');
  }

  #seal(): void {
    clearTimeout(this.#sealTimer);
    this.#sealTimer = undefined;
    if (this.#open.length === 0) return;
    const of = { bytes: this.#openBytes, left: this.#open.length, sinceMs: this.#openSinceMs };
    this.#sealed.push({ id: randomUUID(), records: this.#open, ...of });
    this.#open = [];
    this.#openBytes = 0;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  #dropOldest(): void {
    while (this.#bytes > this.#options.maxBytes) {
      if (this.#sealed.every((batch) => batch === this.#sending)) this.#seal();
      const waiting = this.#sealed.findIndex((batch) => batch !== this.#sending);
      const [oldest] = this.#sealed.splice(Math.max(0, waiting), 1);
      if (oldest === undefined) return;
      this.#bytes -= oldest.bytes;
      this.#options.onDropped(oldest.left, 'queue_full');
    }
  }

  async #writeAll(): Promise<void> {
    for (let batch = this.#sealed[0]; batch !== undefined; batch = this.#sealed[0]) {
      await this.#write(batch, batch);
      const at = this.#sealed.indexOf(batch);
      if (at < 0) continue; // dropped meanwhile
      this.#sealed.splice(at, 1);
      this.#bytes -= batch.bytes;
    }
  }

  /** Tries a batch, or a part of it, until it is written, refused, or dropped with the whole. */
  async #write(part: SealedBatch<T>, whole: Waiting<T>): Promise<void> {
    const { store, retryMs, onRetry } = this.#options;
    const [first, longest] = retryMs;
    for (let waitMs = first; this.#sealed.includes(whole); waitMs = Math.min(longest, waitMs * 2)) {
      try {
        this.#sending = whole;
        await store.write(part).finally(() => {
          this.#sending = undefined;
        });
        return this.#count(part, whole);
      } catch (error) {
        if (error instanceof RowsRefused) return this.#count(part, whole, error);
        if (!store.isTemporary(error)) return await this.#split(part, whole, error);
        onRetry(error);
      }
      await this.#wait(waitMs);
    }
  }

  /** The store has the part, but for rows that it has refused. */
  #count({ records }: SealedBatch<T>, whole: Waiting<T>, refused?: RowsRefused): void {
    if (!this.#sealed.includes(whole)) return; // it was counted as dropped
    const lost = Math.min(refused?.rows ?? 0, records.length);
    whole.left -= records.length;
    if (records.length > lost) this.#options.onWritten(records.length - lost);
    if (lost > 0) this.#options.onDropped(lost, 'refused', refused);
  }

  /** Of a batch that is refused, all but the records because of which it is. */
  async #split({ id, records }: SealedBatch<T>, whole: Waiting<T>, error: unknown): Promise<void> {
    if (records.length > 1) {
      const middle = Math.ceil(records.length / 2);
      await this.#write({ id: `${id}a`, records: records.slice(0, middle) }, whole);
      await this.#write({ id: `${id}b`, records: records.slice(middle) }, whole);
    } else if (this.#sealed.includes(whole)) {
      whole.left -= 1;
      this.#options.onDropped(1, 'refused', error);
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms).unref();
      this.#wake = done;
      function done(): void {
        clearTimeout(timer);
        resolve();
      }
    });
  }
}
