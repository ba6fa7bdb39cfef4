/** Rows with the cost that they have now: docs/behaviour/request-logs.md#prices-in-hindsight */
import type { ClickHouseClient } from '@clickhouse/client';
import {
  CLICKHOUSE_ROW,
  type ClickHouseRow,
  fromClickHouseRow,
  LOG_SCHEMA,
  type LogDecision,
  type LogRow,
} from '@gatehouse/crds/logs';

export type Params = Readonly<Record<string, string | number | readonly string[]>>;

export interface StoredRow {
  readonly row: LogRow;
  /** Of its cost; 0: that which was written first. */
  readonly version: number;
}

/** Every number of an answer is one. */
export async function askClickHouse<R>(client: ClickHouseClient, query: string, query_params: Params): Promise<R[]> {
  const answer = await client.query({
    query,
    query_params: { ...query_params },
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  });
  return answer.json<R>();
}

/** `which`: conditions, order and limit of the rows, whose alias is l; at most 3,000, whose ids are a parameter of 128 KiB. */
export async function readRows(client: ClickHouseClient, which: string, params: Params): Promise<readonly StoredRow[]> {
  const query = `select ${CLICKHOUSE_ROW} from ${LOG_SCHEMA}.logs as l ${which}`;
  const rows = (await askClickHouse<ClickHouseRow>(client, query, params)).map(fromClickHouseRow);
  if (rows.length === 0) return [];
  const newest = await newestCosts(client, rows);
  return rows.map((row) => {
    const { version = 0, ...cost } = newest.get(row.id) ?? {};
    return { row: { ...row, ...cost }, version };
  });
}

interface NewCost extends Pick<LogRow, 'cost_nano' | 'is_unpriced' | 'decision'> {
  readonly version: number;
}

/** By ids of rows; only of those whose cost was changed. */
async function newestCosts(client: ClickHouseClient, rows: readonly LogRow[]): Promise<ReadonlyMap<string, NewCost>> {
  const times = rows.map(({ created_at }) => created_at);
  const found = await askClickHouse<Omit<NewCost, 'decision'> & { readonly id: string; readonly decision: string }>(
    client,
    `select toString(r.id) as id, r.cost_nano as cost_nano, r.is_unpriced as is_unpriced, r.decision as decision, r.version as version
     from ${LOG_SCHEMA}.re_rated as r final
     where r.created_at >= fromUnixTimestamp64Milli({first:Int64}, 'UTC') and r.created_at <= fromUnixTimestamp64Milli({last:Int64}, 'UTC')
       and r.id in (select toUUID(arrayJoin({ids:Array(String)})))`,
    { first: Math.min(...times), last: Math.max(...times), ids: rows.map(({ id }) => id) },
  );
  return new Map(
    found.map(({ id, decision, ...cost }) => [id, { ...cost, decision: JSON.parse(decision) as LogDecision }]), // as it was written
  );
}
