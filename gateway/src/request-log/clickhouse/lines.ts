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

/** Where lines go. */
export interface Target {
  readonly table: string;
  /** In the order of the lines; absent: lines name them. */
  readonly columns?: readonly string[];
  readonly format: 'JSONEachRow' | 'JSONCompactEachRow' | 'TabSeparated';
}

export const objectsOf = (table: string): Target => ({ table, format: 'JSONEachRow' });

/** In one insert. Rejects with what the server or the network says. */
export async function insertText(
  client: ClickHouseClient,
  { table, columns, format }: Target,
  text: Iterable<string | Buffer> | AsyncIterable<string | Buffer>,
  settings: ClickHouseSettings = {},
): Promise<void> {
  const names = columns === undefined ? '' : ` (${columns.join(', ')})`;
  const { stream } = await client.exec({
    query: `insert into ${LOG_SCHEMA}.${table}${names} format ${format}`,
    values: Readable.from(text, { objectMode: false }),
    clickhouse_settings: settings,
  });
  await finished(stream.resume());
}

export const insertLines = (client: ClickHouseClient, table: string, lines: readonly string[]): Promise<void> =>
  insertText(client, objectsOf(table), [lines.join('\n')]);

/** A text as TabSeparated has it. */
export function escaped(text: string): string {
  const whole = text.includes('\\') ? text.replaceAll('\\', '\\\\') : text;
  return SEPARATORS.test(whole) ? whole.replaceAll(ALL_SEPARATORS, (sign) => ESCAPES[sign] ?? sign) : whole;
}

const SEPARATORS = /[\t\n\r]/;
const ALL_SEPARATORS = /[\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };
