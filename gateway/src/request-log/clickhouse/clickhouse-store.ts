/** The request log in ClickHouse: docs/behaviour/request-logs.md. */

import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { withoutBrokenText } from '@gatehouse/crds';
import { clickHouseStatements, DAILY_TABLES, LOG_SCHEMA, type LogRow, parseClickHouseUrl } from '@gatehouse/crds/logs';
import type { LogStore, SealedBatch } from '../log-store.ts';
import { createKnownRows } from './known-rows.ts';

export interface ClickHouseOptions {
  /** `https://USER:PASSWORD@HOST:8443`. */
  readonly url: string;
  /** Certificate authorities as PEM; absent: those of Node. */
  readonly ca?: string | undefined;
}

const REQUEST_MS = 15_000;
const MAX_CONNECTIONS = 4;
/** ClickHouseLogLevel.OFF, which is no type. */
const OFF = 127;

/** Throws an Error that names the part of the URL that is wrong, never its content. Opens nothing yet. */
export function createClickHouseStore({ url, ca }: ClickHouseOptions): LogStore {
  const address = parseClickHouseUrl(url);
  if (!address.ok) throw new Error(`The URL of ClickHouse ${address.error}`);
  let opening: Promise<ClickHouseClient> | undefined;
  const open = async (): Promise<ClickHouseClient> => {
    const { createClient } = await import('@clickhouse/client');
    const client = createClient({
      ...address.value,
      ...(ca === undefined ? {} : { tls: { ca_cert: Buffer.from(ca) } }),
      application: 'gatehouse-gateway',
      request_timeout: REQUEST_MS,
      max_open_connections: MAX_CONNECTIONS,
      compression: { request: true },
      log: { level: OFF }, // failures reach the log of the gateway
    });
    try {
      for (const query of clickHouseStatements()) await client.command({ query });
      return client;
    } catch (error) {
      await client.close();
      throw error;
    }
  };
  const opened = (): Promise<ClickHouseClient> => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined; // the next batch tries again
      throw error;
    });
    return opening;
  };
  const known = createKnownRows();
  return {
    name: 'clickhouse',
    write: async (batch) => {
      const client = await opened();
      const records = await known.left(client, batch);
      const documents = records.flatMap(({ row, content }) =>
        content === undefined || row.document !== 'database' ? [] : [documentLine(row, content)],
      );
      if (documents.length > 0) await insert(client, 'documents', documents, batch);
      const rows = records.map(({ row }) => rowLine(row));
      if (rows.length > 0) await insert(client, 'logs', rows, batch);
      known.forget(batch);
    },
    isTemporary: (error) => !isRefusal(error),
    dropBefore: async (ms) => dropPartitions(await opened(), ms),
    close: async () => {
      await opening?.then((client) => client.close()).catch(() => undefined); // it was never open
    },
  };
}

/** A batch that was written before, and all that views make of it, is left out. */
async function insert(
  client: ClickHouseClient,
  table: string,
  lines: readonly string[],
  { id }: SealedBatch,
): Promise<void> {
  const { stream } = await client.exec({
    query: `insert into ${LOG_SCHEMA}.${table} format JSONEachRow`,
    values: Readable.from([lines.join('\n')], { objectMode: false }),
    clickhouse_settings: {
      insert_deduplicate: 1,
      insert_deduplication_token: `${id}-${table}`,
      deduplicate_blocks_in_dependent_materialized_views: 1,
    },
  });
  await finished(stream.resume());
}

async function dropPartitions(client: ClickHouseClient, ms: number): Promise<void> {
  const query = `select distinct table, partition from system.parts where database = '${LOG_SCHEMA}' and active and table in {tables:Array(String)} and toUInt32OrZero(partition) < {day:UInt32}`;
  const query_params = { tables: [...DAILY_TABLES, 're_rated'], day: partitionOf(ms) };
  const found = await client.query({ query, query_params, format: 'JSONEachRow' });
  for (const { table, partition } of await found.json<{ table: string; partition: string }>()) {
    await client.command({ query: `alter table ${LOG_SCHEMA}.${table} drop partition ${Number(partition)}` });
  }
}

/** 20260131, as the tables say it. */
const partitionOf = (ms: number): number => Number(new Date(ms).toISOString().slice(0, 10).replaceAll('-', ''));

const MS = 1_000;

const secondsOf = (ms: number): string => (ms / MS).toFixed(3);

const rowLine = (row: LogRow): string =>
  lineOf({ ...row, created_at: secondsOf(row.created_at), decision: lineOf(row.decision) });

const documentLine = ({ id, created_at, workspace }: LogRow, content: string): string =>
  lineOf({ id, created_at: secondsOf(created_at), workspace, content: withoutBrokenText(content) });

const lineOf = (value: object): string => withoutBrokenText(JSON.stringify(value));

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

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && REFUSALS.has(error.code);
