import { type LogFilter, type LogSource, readContent } from '../logs/index.ts';
import type { ExportSource } from './run-export.ts';

/** Exports of the request log. */
export const exportSourceOf = (logs: LogSource): ExportSource => ({
  // What was stored is a filter of a version that this one serves beside: members that it does not know ask for nothing.
  rows: (filter, before, limit) => logs.reader.list(filter as LogFilter, { limit, offset: 0 }, before ?? undefined),
  content: (row) => readContent(row, logs),
});
