import type { RequestRecord, Sink } from '../../record/index.ts';
import type { RequestLog } from '../request-log.ts';
import { type RowOptions, rowsOf } from './rows.ts';

export interface RequestLogSinkOptions extends RowOptions {
  readonly log: Pick<RequestLog, 'add'>;
}

/** Gives the rows of each request to the log. */
export const createRequestLogSink = ({ log, ...options }: RequestLogSinkOptions): Sink => ({
  name: 'request_log',
  readsUsage: true,
  record: (record: RequestRecord) => {
    for (const row of rowsOf(record, options)) log.add({ row, content: undefined });
  },
});
