/** The request log in ClickHouse: docs/behaviour/request-logs.md. */

import { setImmediate as turn } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { withoutBrokenText } from '@gatehouse/crds';
import { DAILY_TABLES, LOG_SCHEMA, type LogRow } from '@gatehouse/crds/logs';
import type { LogStore, SealedBatch, WaitingRecord } from '../log-store.ts';
import type { LogFeedback } from '../request-log.ts';
import { addressOf, type ClickHouseOptions, openClickHouse } from './connect.ts';
import { createKnownRows } from './known-rows.ts';
import { insertText, lineOf, secondsOf } from './lines.ts';

const REQUEST_MS = 15_000;
/** Each insert makes a part of each table, which the server has to merge: few and large ones. Source: docs/behaviour/request-logs.md#writing */
const BATCH = { records: 5_000, bytes: 8 * 1024 * 1024, delayMs: 1_000 };
/** That are made to text in one go: other work waits for so long. */
const LINES = 200;

/** Throws an Error that names the part of the URL that is wrong, never its content. Opens nothing yet. */
export function createClickHouseStore(options: ClickHouseOptions): LogStore {
  addressOf(options);
  let opening: Promise<ClickHouseClient> | undefined;
  const opened = (): Promise<ClickHouseClient> => {
    opening ??= openClickHouse(options, { timeoutMs: REQUEST_MS }).catch((error: unknown) => {
      opening = undefined; // the next batch tries again
      throw error;
    });
    return opening;
  };
  const known = createKnownRows();
  return {
    name: 'clickhouse',
    batch: BATCH,
    lineOf: rowLine,
    write: async (batch) => {
      const client = await opened();
      const left: SealedBatch = { id: batch.id, records: await known.left(client, batch) };
      if (left.records.some(hasDocument)) await insert(client, 'documents', left, documentLine);
      if (left.records.length > 0) await insert(client, 'logs', left, ({ line }) => line);
      known.forget(batch);
    },
    writeFeedback: async (batch) => insert(await opened(), 'feedback', batch, feedbackLine),
    isTemporary: (error) => !isRefusal(error),
    dropBefore: async (ms) => dropPartitions(await opened(), ms),
    close: async () => {
      await opening?.then((client) => client.close()).catch(() => undefined); // it was never open
    },
  };
}

/** A batch that was written before, and all that views make of it, is left out. `toLine`: with its end, or empty for nothing of the record. */
async function insert<T>(
  client: ClickHouseClient,
  table: string,
  { id, records }: SealedBatch<T>,
  toLine: (record: T) => string,
): Promise<void> {
  await insertText(client, table, linesOf(records, toLine), {
    insert_deduplicate: 1,
    insert_deduplication_token: `${id}-${table}`,
    deduplicate_blocks_in_dependent_materialized_views: 1,
  });
}

async function* linesOf<T>(records: readonly T[], toLine: (record: T) => string): AsyncGenerator<string> {
  for (let at = 0; at < records.length; at += LINES) {
    if (at > 0) await turn();
    const lines = records.slice(at, at + LINES).map(toLine);
    yield lines.join('');
  }
}

async function dropPartitions(client: ClickHouseClient, ms: number): Promise<void> {
  const query = `select distinct table, partition from system.parts where database = '${LOG_SCHEMA}' and active and table in {tables:Array(String)} and toUInt32OrZero(partition) < {day:UInt32}`;
  const query_params = { tables: [...DAILY_TABLES, 're_rated', 'feedback'], day: partitionOf(ms) };
  const found = await client.query({ query, query_params, format: 'JSONEachRow' });
  for (const { table, partition } of await found.json<{ table: string; partition: string }>()) {
    await client.command({ query: `alter table ${LOG_SCHEMA}.${table} drop partition ${Number(partition)}` });
  }
}

/** 20260131, as the tables say it. */
const partitionOf = (ms: number): number => Number(new Date(ms).toISOString().slice(0, 10).replaceAll('-', ''));

const rowLine = (row: LogRow): string =>
  `${lineOf({ ...row, created_at: secondsOf(row.created_at), decision: lineOf(row.decision) })}\n`;

/** One that comes again, in any batch, takes the place of the first when parts are merged, or when it is read. */
function feedbackLine({ created_at, ...feedback }: LogFeedback): string {
  const at = secondsOf(created_at);
  return `${lineOf({ ...feedback, created_at: at, updated_at: at })}\n`;
}

const hasDocument = ({ content }: WaitingRecord): boolean => content !== undefined;

function documentLine({ id, createdAt, workspace, content }: WaitingRecord): string {
  if (content === undefined) return '';
  return `${lineOf({ id, created_at: secondsOf(createdAt), workspace, content: withoutBrokenText(content) })}\n`;
}

/**
 * What the server says of a batch that no later try makes better: it cannot be parsed, or has values that no column takes.
 * https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
 */
const REFUSALS: ReadonlySet<string> = new Set([
  '6',
  '26',
  '27',
  '33',
  '38',
  '41',
  '53',
  '70',
  '72',
  '117',
  '131',
  '349',
  '376',
]);

/**
 * A value of a question about the batch is longer than the server takes: half a batch has a shorter one. All errors of the library below
 * the server have the code 1000, those of the network too; what is sent never stands at the beginning of their text.
 */
const TOO_LONG = /^Poco::Exception\. Code: 1000, e\.code\(\) = \d+, HTML Form Exception\b/;

const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  (TOO_LONG.test(error.message) || ('code' in error && typeof error.code === 'string' && REFUSALS.has(error.code)));
