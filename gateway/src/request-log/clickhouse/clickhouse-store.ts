/** The request log in ClickHouse: docs/behaviour/request-logs.md. */

import { setImmediate as turn } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { DAILY_TABLES, LOG_COLUMNS, LOG_SCHEMA, type LogRow } from '@gatehouse/crds/logs';
import type { LogStore, SealedBatch } from '../log-store.ts';
import type { LogFeedback } from '../request-log.ts';
import { rowValues } from '../row-values.ts';
import { addressOf, type ClickHouseOptions, openClickHouse } from './connect.ts';
import { createKnownRows } from './known-rows.ts';
import { escaped, insertText, lineOf, objectsOf, secondsOf, type Target } from './lines.ts';

const REQUEST_MS = 15_000;
/** Each insert makes a part of each table, which the server has to merge: few and large ones. Source: docs/behaviour/request-logs.md#writing */
const BATCH = { records: 5_000, bytes: 8 * 1024 * 1024, delayMs: 1_000 };
/** That are made to text in one go: other work waits for so long. */
const LINES = 200;
/** That are packed in one go. */
const PIECE_BYTES = 256 * 1024;

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
    documentOf: documentLine,
    write: async (batch) => {
      const client = await opened();
      const left: SealedBatch = { id: batch.id, records: await known.left(client, batch) };
      const documents = left.records.flatMap(({ document }) => (document === undefined ? [] : [document]));
      if (documents.length > 0) await insert(client, DOCUMENTS, batch.id, bytesOf(documents));
      if (left.records.length > 0) await insert(client, LOGS, batch.id, bytesOf(left.records.map(({ line }) => line)));
      known.forget(batch);
    },
    writeFeedback: async ({ id, records }) => insert(await opened(), FEEDBACK, id, textOf(records)),
    isTemporary: (error) => !isRefusal(error),
    dropBefore: async (ms) => dropPartitions(await opened(), ms),
    close: async () => {
      await opening?.then((client) => client.close()).catch(() => undefined); // it was never open
    },
  };
}

/** A batch that was written before, and all that views make of it, is left out. `lines`: each with its end. */
async function insert(
  client: ClickHouseClient,
  target: Target,
  batchId: string,
  lines: AsyncIterable<string | Buffer>,
): Promise<void> {
  await insertText(client, target, lines, {
    insert_deduplicate: 1,
    insert_deduplication_token: `${batchId}-${target.table}`,
    deduplicate_blocks_in_dependent_materialized_views: 1,
  });
}

/** In few pieces: each one costs its own way through the stream, and the packing of it. */
async function* bytesOf(lines: readonly Buffer[]): AsyncGenerator<Buffer> {
  let first = 0;
  let bytes = 0;
  for (const [at, line] of lines.entries()) {
    bytes += line.length;
    if (bytes < PIECE_BYTES && at < lines.length - 1) continue;
    if (first > 0) await turn();
    yield Buffer.concat(lines.slice(first, at + 1), bytes);
    first = at + 1;
    bytes = 0;
  }
}

async function* textOf(feedback: readonly LogFeedback[]): AsyncGenerator<string> {
  for (let at = 0; at < feedback.length; at += LINES) {
    if (at > 0) await turn();
    yield feedback
      .slice(at, at + LINES)
      .map(feedbackLine)
      .join('');
  }
}

/** Those that PostgreSQL does not have. */
const OWN_TABLES = ['fallback_minutes', 'fallback_hours', 're_rated', 'feedback'];

async function dropPartitions(client: ClickHouseClient, ms: number): Promise<void> {
  const query = `select distinct table, partition from system.parts where database = '${LOG_SCHEMA}' and active and table in {tables:Array(String)} and toUInt32OrZero(partition) < {day:UInt32}`;
  const query_params = { tables: [...DAILY_TABLES, ...OWN_TABLES], day: partitionOf(ms) };
  const found = await client.query({ query, query_params, format: 'JSONEachRow' });
  for (const { table, partition } of await found.json<{ table: string; partition: string }>()) {
    await client.command({ query: `alter table ${LOG_SCHEMA}.${table} drop partition ${Number(partition)}` });
  }
}

/** 20260131, as the tables say it. */
const partitionOf = (ms: number): number => Number(new Date(ms).toISOString().slice(0, 10).replaceAll('-', ''));

/** An array: names take more time and room than what they name. */
function rowLine(row: LogRow): string {
  const values = rowValues(row);
  values[CREATED_AT] = secondsOf(row.created_at);
  values[DECISION] = lineOf(row.decision);
  return `${lineOf(values)}\n`;
}

const COLUMNS = Object.keys(LOG_COLUMNS);
const CREATED_AT = COLUMNS.indexOf('created_at');
const DECISION = COLUMNS.indexOf('decision');
const LOGS: Target = { table: 'logs', columns: COLUMNS, format: 'JSONCompactEachRow' };

/** One that comes again, in any batch, takes the place of the first when parts are merged, or when it is read. */
function feedbackLine({ created_at, ...feedback }: LogFeedback): string {
  const at = secondsOf(created_at);
  return `${lineOf({ ...feedback, created_at: at, updated_at: at })}\n`;
}

/** No JSON, which would have the JSON of the document escaped once more. */
const documentLine = (content: string, { id, created_at, workspace }: LogRow): string =>
  `${id}\t${secondsOf(created_at)}\t${escaped(workspace)}\t${escaped(content)}\n`;

const DOCUMENTS: Target = {
  table: 'documents',
  columns: ['id', 'created_at', 'workspace', 'content'],
  format: 'TabSeparated',
};
const FEEDBACK = objectsOf('feedback');

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
