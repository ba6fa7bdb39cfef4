/** Rows as ClickHouse gives them. */
import { LOG_COLUMNS, type LogRow } from './row.ts';

/** Every column of `logs`, whose alias is l; times as Unix time in ms. */
export const CLICKHOUSE_ROW: string = Object.entries(LOG_COLUMNS)
  .map(([name, kind]) => (kind === 'time' ? `toUnixTimestamp64Milli(l.${name}) as ${name}_ms` : `l.${name} as ${name}`))
  .join(', ');

export type ClickHouseRow = Readonly<Record<string, unknown>>;

/** The row of a `CLICKHOUSE_ROW`. */
export function fromClickHouseRow(row: ClickHouseRow): LogRow {
  const values = Object.entries(LOG_COLUMNS).map(([name, kind]) => {
    if (kind === 'time') return [name, Number(row[`${name}_ms`])];
    return [name, name === 'decision' ? JSON.parse(String(row[name])) : row[name]];
  });
  return Object.fromEntries(values) as LogRow; // as LOG_COLUMNS says
}
