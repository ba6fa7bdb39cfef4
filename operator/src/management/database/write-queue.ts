/** What is on its way into the database: callers do not wait for it, and it is tried again while the database is away. */

export interface WriteQueueOptions<T> {
  /** Rejects when nothing, or only a part, was written: the same items are written again. */
  readonly write: (batch: readonly T[]) => Promise<void>;
  /** In bytes, about. */
  readonly sizeOf: (item: T) => number;
  /** Whether a write that failed may succeed later; what never will is dropped, so that the items behind it are written. */
  readonly isTemporary: (error: unknown) => boolean;
  /** Told the items that are never written, and the error of those that were refused. Must not throw. */
  readonly onDropped: (items: readonly T[], refused?: unknown) => void;
  /** Of a full queue the oldest items go; the newest stays, however large it is. */
  readonly maxItems?: number;
  readonly maxBytes: number;
  /** How many are written at once. */
  readonly batch: number;
  /** After a write that failed, in ms. */
  readonly retryMs: number;
}

export class WriteQueue<T> {
  readonly #options: WriteQueueOptions<T>;
  readonly #items: T[] = [];
  #bytes = 0;
  #writing: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Items that are written one by one, since a batch with them was refused. */
  #apart = 0;

  constructor(options: WriteQueueOptions<T>) {
    this.#options = options;
  }

  /** Never fails, and does not wait. */
  add(item: T): void {
    const { maxItems = Number.POSITIVE_INFINITY, maxBytes, sizeOf } = this.#options;
    this.#items.push(item);
    this.#bytes += sizeOf(item);
    const dropped: T[] = [];
    while (this.#items.length > maxItems || (this.#bytes > maxBytes && this.#items.length > 1)) {
      dropped.push(...this.#shift());
    }
    this.#tell(dropped);
    if (this.#isClosed) void this.#writeLast();
    else this.#flush();
  }

  /** The end of the write that is under way, if there is one. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Writes what is left, once. What cannot be written is dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#writing;
    await this.#writeLast();
  }

  /** The oldest item; none of an empty queue. */
  #shift(): readonly T[] {
    const first = this.#items.splice(0, 1);
    for (const item of first) this.#bytes -= this.#options.sizeOf(item);
    return first;
  }

  #tell(dropped: readonly T[]): void {
    if (dropped.length > 0) this.#options.onDropped(dropped);
  }

  async #writeLast(): Promise<void> {
    try {
      await this.#writeAll();
    } catch {
      this.#bytes = 0;
      this.#tell(this.#items.splice(0));
    }
  }

  #flush(): void {
    if (this.#writing !== undefined || this.#retry !== undefined) return;
    this.#writing = this.#writeAll()
      .catch(() => {
        if (this.#isClosed) return;
        this.#retry = setTimeout(() => {
          this.#retry = undefined;
          this.#flush();
        }, this.#options.retryMs).unref();
      })
      .finally(() => {
        this.#writing = undefined;
        if (this.#items.length > 0 && !this.#isClosed) this.#flush();
      });
  }

  async #writeAll(): Promise<void> {
    while (this.#items.length > 0) {
      const batch = this.#items.slice(0, this.#apart > 0 ? 1 : this.#options.batch);
      this.#apart = Math.max(0, this.#apart - 1);
      if (!(await this.#isDone(batch))) {
        this.#apart = batch.length;
        continue;
      }
      for (const one of batch) if (this.#items[0] === one) this.#shift(); // others may have been dropped meanwhile
    }
  }

  /** Written, or refused for ever. False: one of several was refused. Rejects while it may be tried again. */
  async #isDone(batch: readonly T[]): Promise<boolean> {
    try {
      await this.#options.write(batch);
    } catch (error) {
      if (this.#options.isTemporary(error)) throw error;
      if (batch.length > 1) return false;
      this.#options.onDropped(batch, error);
    }
    return true;
  }
}
