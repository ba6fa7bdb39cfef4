/** A database that keeps the request log. */
import { withoutBrokenText } from '@gatehouse/crds';
import type { LogRow } from '@gatehouse/crds/logs';
import type { LogFeedback, LogRecord } from './request-log.ts';

/** A record while it waits for its batch, as bytes in UTF-8: rows as objects, with fifty members each, cost the collection of garbage more. */
export interface WaitingRecord {
  readonly id: string;
  /** Unix time in ms. */
  readonly createdAt: number;
  readonly workspace: string;
  /** Of a client, which may send it again at any time, or of a batch that may be read again. */
  readonly isTold: boolean;
  /** What `lineOf` of the store has made of the row. */
  readonly line: Buffer;
  /** What `documentOf` has made of the document, where the store of the rows keeps it. */
  readonly document: Buffer | undefined;
}

/** Records that are written together. A batch that is tried again is the same one. */
export interface SealedBatch<T = WaitingRecord> {
  /** UUID: by it, or by the ids of the rows, a store knows what it has. */
  readonly id: string;
  readonly records: readonly T[];
}

/** A batch is sealed with so many records, or bytes, or after so long, in ms. */
export interface BatchLimits {
  readonly records: number;
  readonly bytes: number;
  readonly delayMs: number;
}

export interface LogStore {
  /** For logs and metrics. */
  readonly name: string;
  /** Where it wants other batches than the usual ones. */
  readonly batch?: BatchLimits;
  /** A row as the store writes it; it is made when the row is added. */
  lineOf(row: LogRow): string;
  /** A document as the store writes it, from its JSON, which has no broken text; absent: as it is. */
  documentOf?(content: string, row: LogRow): string;
  /**
   * Keeps every record once, however often it gets the batch. Rejects when nothing, or only a part, was written; with RowsRefused when all
   * but some rows were, which no later try makes better.
   */
  write(batch: SealedBatch): Promise<void>;
  /** As `write`, for feedback of guardrails. */
  writeFeedback(batch: SealedBatch<LogFeedback>): Promise<void>;
  /** Whether a write that was rejected so may succeed later. */
  isTemporary(error: unknown): boolean;
  /** Drops the days before the one of an instant, in Unix time in ms, with the feedback that guardrails gave in them. */
  dropBefore(ms: number): Promise<void>;
  /** Where what it takes can be bounded. */
  readonly space?: StoreSpace;
  close(): Promise<void>;
}

export interface StoreSpace {
  /** Of what goes with its day: tables with their indexes. */
  bytes(): Promise<number>;
  /** Drops the rows of the oldest day before that of an instant, in Unix time in ms; false: there is none. */
  dropOldestDay(beforeMs: number): Promise<boolean>;
  /** Deletes feedback of guardrails from before the oldest day of rows, then the oldest, whoever gave it, of more than fits. Others may do it at once. */
  boundFeedback(maxBytes: number): Promise<void>;
}

/** All rows of a batch were written but so many, which are lost. */
export class RowsRefused extends Error {
  readonly rows: number;

  constructor(rows: number, why: string) {
    super(`${rows} rows were refused: ${why}`);
    this.name = 'RowsRefused';
    this.rows = rows;
  }
}

type Form = Pick<LogStore, 'lineOf' | 'documentOf'>;

/** `toBytes`: where they wait. */
export const toWaiting = (
  { row, content, mayRepeat }: LogRecord,
  store: Form,
  toBytes: (text: string) => Buffer = Buffer.from,
): WaitingRecord => ({
  id: row.id,
  createdAt: row.created_at,
  workspace: row.workspace,
  isTold: row.source === 'log' || mayRepeat === true,
  line: toBytes(store.lineOf(row)),
  document: content === undefined || row.document !== 'database' ? undefined : toBytes(documentOf(content, row, store)),
});

function documentOf(content: string, row: LogRow, store: Form): string {
  const text = withoutBrokenText(content);
  return store.documentOf === undefined ? text : store.documentOf(text, row);
}
