import type { LogRow } from '@gatehouse/crds/logs';
import type { RequestRecord, Sink } from '../../record/index.ts';
import { type ContentOptions, Contents } from '../content/content.ts';
import type { RequestLog } from '../request-log.ts';
import { type RowOptions, rowsOf } from './rows.ts';

export interface RequestLogSinkOptions extends RowOptions, ContentOptions {
  readonly log: Pick<RequestLog, 'add'>;
}

/** Gives the rows of each request to the log, with their documents where bodies are kept. */
export const createRequestLogSink = ({ log, ...options }: RequestLogSinkOptions): Sink => ({
  name: 'request_log',
  readsUsage: true,
  record: (record: RequestRecord) => {
    const { captured } = record;
    const rows = rowsOf(record, options);
    const contents = captured === undefined || rows.length === 0 ? undefined : new Contents(record, captured, options);
    for (const row of rows) log.add({ row, content: contents && contentOf(contents, row, record) });
  },
});

/** The rows of the attempts come first, in their order. Calls that the gateway made itself have no document. */
function contentOf(contents: Contents, row: LogRow, { attempts }: RequestRecord): string | undefined {
  const attempt = attempts[row.attempt];
  if (attempt?.operation !== undefined) return undefined;
  return contents.of({ attempt, isFinal: row.is_final, status: row.status, responseMs: row.response_ms });
}
