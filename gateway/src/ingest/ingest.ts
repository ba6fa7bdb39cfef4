/** Takes records that clients have for the request log: docs/behaviour/request-logs.md#records-of-clients. */
import type { Budgets } from '../budgets/index.ts';
import { AppError } from '../errors/index.ts';
import { hashId } from '../lib/hash-id.ts';
import type { JsonLimits } from '../lib/json/index.ts';
import { forEachInSlices } from '../lib/slices.ts';
import { bodiesKept, type Ingest, type IngestCall, type LocalAnswer, type ResolvedRequest } from '../pipeline/index.ts';
import type { RequestRecord } from '../record/index.ts';
import { type LogRecord, type LogRecordOptions, logRecordsOf, type RequestLog } from '../request-log/index.ts';
import { retentionMsOf } from '../snapshot/index.ts';
import { createCharges } from './charge.ts';
import type { Entry, EntryContext } from './entry.ts';
import { readLogs } from './logs/read-logs.ts';
import { readSpans } from './otlp/read-spans.ts';
import { isJsonType, mediaTypeOf, readBody, readRecords } from './read-body.ts';
import { toRecord } from './to-record.ts';

export interface IngestOptions extends LogRecordOptions {
  readonly log: Pick<RequestLog, 'add' | 'admits'>;
  /** How long rows are kept where the organisation does not say it, in ms; undefined: for ever. */
  readonly retentionMs: number | undefined;
  /** Of each body that is kept; 0: rows alone. */
  readonly maxBodyBytes: number;
  readonly json: JsonLimits;
  readonly budgets: Pick<Budgets, 'reserve'>;
  /** Unix time in ms. */
  now(): number;
}

/** Where the request log is off. */
export const withoutIngest: Ingest = {
  answer: async () => {
    throw new AppError('REQUEST_LOG_OFF');
  },
};

/** On a sidecar without a log of its own: the fleet of the profile takes records where it keeps a log. */
export const createIngestAtFleet = (profile: string): Ingest => ({
  answer: (call, request) =>
    request.exchange.snapshot.sidecar(profile)?.fleet?.records === true
      ? undefined
      : withoutIngest.answer(call, request),
});

/** Clocks of clients may be so far ahead, in ms. */
const SKEW_MS = 300_000;
/** Each day that has rows has partitions of its own: older ones are not begun anew. */
const MAX_AGE_MS = 90 * 86_400_000;
/** What waits is written within seconds. */
const RETRY_MS = 5_000;

/** Texts of clients may need two. */
const BYTES_PER_CHARACTER = 2;

/** What a call brings. */
interface Brought {
  readonly entries: readonly Entry[];
  readonly answer: LocalAnswer;
}

export function createIngest(options: IngestOptions): Ingest {
  const charge = createCharges(options);
  return {
    answer: async (call, request) => {
      const { entries, answer } = await READERS[call](request, options);
      const records = await recordsOf(entries, request, options);
      const rows = records.flatMap(({ rows: made }) => made);
      admit(rows, options);
      for (const row of rows) options.log.add(row); // at once: nothing is half stored
      charge(request, records);
      return answer;
    },
  };
}

const READERS: Readonly<Record<IngestCall, (request: ResolvedRequest, options: IngestOptions) => Promise<Brought>>> = {
  logs: async (request, options) => {
    const type = mediaTypeOf(request);
    if (type !== '' && !isJsonType(type)) {
      throw new AppError('CONTENT_TYPE_INVALID', {
        param: 'content-type',
        detail: 'The content-type of records is application/json',
      });
    }
    const bytes = await readBody(request);
    const given = await readRecords(bytes, options.json, request.exchange.memory);
    const entries = await readLogs(given, contextOf(request, options));
    return { entries, answer: { headers: { 'content-type': 'text/plain; charset=utf-8' }, bytes: Buffer.from('ok') } };
  },
  spans: (request, options) => readSpans(request, options.json, contextOf(request, options)),
};

function contextOf({ exchange, caller }: ResolvedRequest, { retentionMs: usualMs, now }: IngestOptions): EntryContext {
  const nowMs = now();
  const retentionMs = retentionMsOf(exchange.snapshot, usualMs);
  return {
    nowMs,
    oldestMs: nowMs - Math.min(retentionMs ?? MAX_AGE_MS, MAX_AGE_MS),
    newestMs: nowMs + SKEW_MS,
    account: (slug) => exchange.snapshot.provider(caller.workspace.name, slug),
  };
}

interface MadeRecord {
  /** Of its row, where the record has one of its own. */
  readonly id: string | undefined;
  readonly record: RequestRecord;
  readonly rows: readonly LogRecord[];
}

async function recordsOf(
  entries: readonly Entry[],
  request: ResolvedRequest,
  options: IngestOptions,
): Promise<readonly MadeRecord[]> {
  const { maxBodyBytes } = options;
  const context = { request, maxBodyBytes, kept: bodiesKept(request.exchange, request.caller) };
  const records: MadeRecord[] = [];
  await forEachInSlices(entries, (entry) => {
    const record = toRecord(entry, context);
    const id = entry.identity && hashId([request.caller.workspace.name, entry.identity]);
    const rows = logRecordsOf(record, options).map(({ row: made, content }) => {
      const row = { ...made, id: id ?? made.id, source: 'log' as const };
      return { row, content, rowBytes: BYTES_PER_CHARACTER * JSON.stringify(row).length };
    });
    records.push({ id, record, rows });
  });
  return records;
}

/** Throws REQUEST_LOG_BUSY or BODY_TOO_LARGE: records that can be sent again do not push out those of requests. */
function admit(rows: readonly LogRecord[], { log }: IngestOptions): void {
  switch (log.admits(rows)) {
    case 'now':
      return;
    case 'later':
      throw new AppError('REQUEST_LOG_BUSY', { retryAfterMs: RETRY_MS });
    case 'never':
      throw new AppError('BODY_TOO_LARGE', {
        detail: 'The queue of the request log has no room for so many records in one call; send them in parts',
      });
  }
}
