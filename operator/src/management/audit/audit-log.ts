/** Records of writes on their way into the database. */
import { randomUUID } from 'node:crypto';
import { withoutBrokenText } from '@gatehouse/crds';
import type { AuditRow } from '@gatehouse/crds/records';
import { type Database, isAway, type Queries, WriteQueue } from '../database/index.ts';

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
  readonly onDropped: (record: AuditRow, refused?: unknown) => void;
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

interface Waiting {
  readonly row: AuditRow;
  /** As JSON. */
  readonly changes: string;
}

export function createAuditLog({ database, onDropped, ...bounds }: AuditLogOptions): AuditLog {
  let dropped = 0;
  const queue = new WriteQueue<Waiting>({
    write: (batch) => database.use((queries) => insert(queries, batch)),
    sizeOf,
    isTemporary: isAway,
    onDropped: (items, refused) => {
      dropped += items.length;
      for (const { row } of items) onDropped(row, refused);
    },
    maxItems: bounds.maxRecords ?? MAX_RECORDS,
    maxBytes: bounds.maxBytes ?? MAX_BYTES,
    batch: BATCH,
    retryMs: bounds.retryMs ?? RETRY_MS,
  });
  return {
    add: (record) =>
      queue.add({ row: { id: randomUUID(), ...record }, changes: withoutBrokenText(JSON.stringify(record.changes)) }),
    dropped: () => dropped,
    close: () => queue.close(),
  };
}

/** With what a record takes besides its texts. */
const sizeOf = ({ row, changes }: Waiting): number =>
  500 + changes.length + lengthOf(row.request_body) + lengthOf(row.query_params) + lengthOf(row.request_headers);

const lengthOf = (text: string | null): number => text?.length ?? 0;

/** A batch whose answer was lost is written again. */
async function insert(queries: Queries, batch: readonly Waiting[]): Promise<void> {
  await queries
    .insertInto('audit_records')
    .values(batch.map(({ row, changes }) => ({ ...row, changes })))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}
