/** Rows as lines of JSON, on their way into a table. */
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import { withoutBrokenText } from '@gatehouse/crds';
import { LOG_SCHEMA } from '@gatehouse/crds/logs';

const MS = 1_000;

export const secondsOf = (ms: number): string => (ms / MS).toFixed(3);

/** Without an end. */
export const lineOf = (value: object): string => withoutBrokenText(JSON.stringify(value));

/** In one insert. Rejects with what the server or the network says. */
export async function insertText(
  client: ClickHouseClient,
  table: string,
  text: Iterable<string> | AsyncIterable<string>,
  settings: ClickHouseSettings = {},
): Promise<void> {
  const { stream } = await client.exec({
    query: `insert into ${LOG_SCHEMA}.${table} format JSONEachRow`,
    values: Readable.from(text, { objectMode: false }),
    clickhouse_settings: settings,
  });
  await finished(stream.resume());
}

export const insertLines = (client: ClickHouseClient, table: string, lines: readonly string[]): Promise<void> =>
  insertText(client, table, [lines.join('\n')]);
