/** Records of writes on their way into the database. */
import { randomUUID } from 'node:crypto';
import type { AuditRow } from '@gatehouse/crds/records';
import type { Database } from '../database/index.ts';

export interface AuditLog {
  /** Never fails, and does not wait for the database. */
  add(record: Omit<AuditRow, 'id'>): void;
  /** Records that the database never got: it was away for too long, or when the process ended. */
  dropped(): number;
  /** Writes what is left, once. What cannot be written is dropped. */
  close(): Promise<void>;
}

export interface AuditLogOptions {
  readonly database: Database;
  /** Told each record that the database never got. Must not throw. */
  readonly onDropped: (record: AuditRow) => void;
  readonly maxRecords?: number;
  /** Of the queue as JSON. */
  readonly maxBytes?: number;
  /** After the database was away, in ms. */
  readonly retryMs?: number;
}

/** Of a full queue the oldest record goes. */
const MAX_RECORDS = 2_000;
const MAX_BYTES = 32 * 1024 * 1024;
const BATCH = 100;
const RETRY_MS = 5_000;

export function createAuditLog(options: AuditLogOptions): AuditLog {
  const log = new AuditQueue(options);
  return { add: (record) => log.add(record), dropped: () => log.dropped, close: () => log.close() };
}

interface Waiting {
  readonly row: AuditRow;
  /** As JSON. */
  readonly changes: string;
}

class AuditQueue {
  readonly #options: AuditLogOptions;
  readonly #queue: Waiting[] = [];
  #bytes = 0;
  #dropped = 0;
  #writing: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: AuditLogOptions) {
    this.#options = options;
  }

  get dropped(): number {
    return this.#dropped;
  }

  add(record: Omit<AuditRow, 'id'>): void {
    const { maxRecords = MAX_RECORDS, maxBytes = MAX_BYTES } = this.#options;
    const waiting = { row: { id: randomUUID(), ...record }, changes: JSON.stringify(record.changes) };
    this.#queue.push(waiting);
    this.#bytes += sizeOf(waiting);
    while (this.#queue.length > maxRecords || (this.#bytes > maxBytes && this.#queue.length > 1)) this.#drop();
    if (this.#isClosed) void this.#writeLast();
    else this.#flush();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#writing;
    await this.#writeLast();
  }

  #shift(): Waiting | undefined {
    const first = this.#queue.shift();
    if (first !== undefined) this.#bytes -= sizeOf(first);
    return first;
  }

  #drop(): void {
    const first = this.#shift();
    if (first === undefined) return;
    this.#dropped += 1;
    this.#options.onDropped(first.row);
  }

  async #writeLast(): Promise<void> {
    try {
      await this.#writeAll();
    } catch {
      while (this.#queue.length > 0) this.#drop();
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
        }, this.#options.retryMs ?? RETRY_MS).unref();
      })
      .finally(() => {
        this.#writing = undefined;
        if (this.#queue.length > 0 && !this.#isClosed) this.#flush();
      });
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, BATCH);
      const rows = batch.map(({ row, changes }) => ({ ...row, changes }));
      await this.#options.database.use((queries) =>
        queries // a batch whose answer was lost is written again
          .insertInto('audit_records')
          .values(rows)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute(),
      );
      for (const one of batch) if (this.#queue[0] === one) this.#shift(); // others may have been dropped meanwhile
    }
  }
}

/** With what a record takes besides its changes. */
const sizeOf = ({ changes }: Waiting): number => 500 + changes.length;
