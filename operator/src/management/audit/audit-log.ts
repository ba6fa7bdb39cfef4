/** Records of writes on their way into the database. */
import { randomUUID } from 'node:crypto';
import type { AuditRow } from '@gatehouse/crds/records';
import type { Database } from '../database/index.ts';

export interface AuditLog {
  /** Never fails, and does not wait for the database. */
  add(record: Omit<AuditRow, 'id'>): void;
  /** Records that the database never got, because it was away for too long. */
  dropped(): number;
  /** Writes what is left, once. */
  close(): Promise<void>;
}

export interface AuditLogOptions {
  readonly database: Database;
  /** Told with the number of records that were dropped since the last time. */
  readonly onDropped: (count: number) => void;
  readonly maxRecords?: number;
  /** After the database was away, in ms. */
  readonly retryMs?: number;
}

/** Of a full queue the oldest record goes: what happens now is written to the log in any case. */
const MAX_RECORDS = 2_000;
const BATCH = 100;
const RETRY_MS = 5_000;

export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { database, onDropped, maxRecords = MAX_RECORDS, retryMs = RETRY_MS } = options;
  const queue: AuditRow[] = [];
  let dropped = 0;
  let writing: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  const writeAll = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.slice(0, BATCH);
      const rows = batch.map((row) => ({ ...row, changes: JSON.stringify(row.changes) }));
      await database.use((queries) =>
        queries // a batch whose answer was lost is written again
          .insertInto('audit_records')
          .values(rows)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute(),
      );
      for (const row of batch) if (queue[0] === row) queue.shift(); // others may have been dropped meanwhile
    }
  };
  const flush = (): void => {
    if (writing !== undefined || retry !== undefined) return;
    writing = writeAll()
      .catch(() => {
        if (isClosed) return;
        retry = setTimeout(() => {
          retry = undefined;
          flush();
        }, retryMs).unref();
      })
      .finally(() => {
        writing = undefined;
        if (queue.length > 0 && !isClosed) flush();
      });
  };
  return {
    add: (record) => {
      queue.push({ id: randomUUID(), ...record });
      if (queue.length > maxRecords) {
        queue.shift();
        dropped += 1;
        onDropped(1);
      }
      flush();
    },
    dropped: () => dropped,
    close: async () => {
      isClosed = true;
      clearTimeout(retry);
      await writing;
      await writeAll().catch(() => undefined);
    },
  };
}
