import { randomUUID } from 'node:crypto';
import { type LogStore, toWaiting } from './log-store.ts';
import type { LogRecord } from './request-log.ts';

/** Gives a store records as the queue does, in one batch. */
export const writeRecords = (
  store: Pick<LogStore, 'lineOf' | 'write'>,
  records: readonly LogRecord[],
  id: string = randomUUID(),
): Promise<void> => store.write({ id, records: records.map((record) => toWaiting(record, store)) });
