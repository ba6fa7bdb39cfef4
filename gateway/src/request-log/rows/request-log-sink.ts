import type { LogRow } from '@gatehouse/crds/logs';
import type { RequestRecord, Sink, WatchedGuardrails } from '../../record/index.ts';
import { type ContentOptions, type Contents, contentsOf } from '../content/content.ts';
import { feedbackOfGuardrails } from '../feedback/index.ts';
import type { LogRecord, RequestLog } from '../request-log.ts';
import { type RowOptions, rowsOf } from './rows.ts';

export interface LogRecordOptions extends RowOptions, ContentOptions {}

export interface RequestLogSinkOptions extends LogRecordOptions {
  readonly log: Pick<RequestLog, 'add' | 'addFeedback'>;
}

/** Gives the rows of each request to the log, with their documents where bodies are kept. */
export const createRequestLogSink = ({ log, ...options }: RequestLogSinkOptions): Sink => ({
  name: 'request_log',
  readsUsage: true,
  readsClient: true,
  record: (record: RequestRecord) => {
    for (const each of logRecordsOf(record, options)) log.add(each);
    const { caller, decisions, request, isPassedOn } = record;
    if (caller === undefined || isPassedOn === true || decisions.guardrails.length === 0) return;
    addFeedback({ trace: request.trace, caller, guardrails: decisions.guardrails }, log);
  },
  watched: (watched) => addFeedback(watched, log),
});

function addFeedback(
  judged: Pick<WatchedGuardrails, 'trace' | 'caller' | 'guardrails'>,
  log: Pick<RequestLog, 'addFeedback'>,
): void {
  for (const feedback of feedbackOfGuardrails(judged)) log.addFeedback(feedback);
}

/** The rows of a request with their documents. */
export function logRecordsOf(record: RequestRecord, options: LogRecordOptions): readonly LogRecord[] {
  const { captured } = record;
  const rows = rowsOf(record, options);
  const contents = captured === undefined || rows.length === 0 ? undefined : contentsOf(record, captured, options);
  return rows.map((row, at) => {
    const isFurther = rows[at - 1]?.attempt === row.attempt; // of a model of the rows that the attempt has counted
    const repeats = record.once === undefined ? undefined : { mayRepeat: true };
    return { row, ...repeats, content: isFurther ? undefined : contents && contentOf(contents, row, record) };
  });
}

/** The rows of the attempts come first, in their order. Calls that the gateway made itself have no document. */
function contentOf(contents: Contents, row: LogRow, { attempts }: RequestRecord): string | undefined {
  const attempt = attempts[row.attempt];
  if (attempt?.operation !== undefined) return undefined;
  return contents.of({ attempt, isFinal: row.is_final, status: row.status, responseMs: row.response_ms });
}
