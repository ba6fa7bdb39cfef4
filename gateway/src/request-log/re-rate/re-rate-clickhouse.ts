/** Computes the cost of rows in ClickHouse again: docs/behaviour/request-logs.md#prices-in-hindsight */
import type { ClickHouseClient } from '@clickhouse/client';
import { LOG_SCHEMA, type LogRow, latencyStep } from '@gatehouse/crds/logs';
import { type ClickHouseOptions, openClickHouse } from '../clickhouse/connect.ts';
import { insertLines, lineOf, secondsOf } from '../clickhouse/lines.ts';
import { askClickHouse, readRows, type StoredRow } from '../clickhouse/read-rows.ts';
import type { RatingOptions } from './options.ts';
import { type Change, rateRows } from './rate-rows.ts';

export interface ClickHouseReRateOptions extends RatingOptions {
  readonly clickHouse: ClickHouseOptions;
}

const BATCH = 2_000;
const HOUR_MS = 3_600_000;
const STATEMENT_MS = 60_000;

type Place = Pick<LogRow, 'created_at' | 'id'>;

/**
 * Goes through the rows that have a cost, hour by hour. A new cost is a version of the row in a table of its own, from which readers take the
 * difference for rows and sums alike: there is nothing that could be done by half, and the same version twice counts once. Rejects with what
 * the server or the network says; what was written stays.
 */
export async function reRateClickHouse({ clickHouse, ...options }: ClickHouseReRateOptions): Promise<void> {
  const client = await openClickHouse(clickHouse, { timeoutMs: STATEMENT_MS });
  try {
    for (const hour of await hoursWithRows(client, options)) {
      const span = { from: Math.max(hour, options.from), to: Math.min(hour + HOUR_MS, options.to) };
      if (!(await reRateSpan(client, { ...options, ...span }))) return;
    }
  } finally {
    await client.close();
  }
}

/** False: it was stopped. */
async function reRateSpan(client: ClickHouseClient, options: RatingOptions): Promise<boolean> {
  const { isDry, onBatch, isStopped, batch = BATCH } = options;
  let after: Place | undefined;
  for (;;) {
    const found = await rowsBehind(client, options, after);
    const { rows, changes } = rateRows(
      found.map(({ row }) => row),
      options,
    );
    if (!isDry && changes.length > 0) await write(client, changes, { found, now: options.now() });
    after = found.at(-1)?.row;
    if (after !== undefined) {
      onBatch({ rows, reached: after.created_at });
      if (isStopped()) return false;
    }
    if (found.length < batch) return true;
  }
}

interface Asked {
  readonly where: string;
  readonly params: Readonly<Record<string, string | number | readonly string[]>>;
}

/** Of the time and the models; the alias of the rows is l. */
function asked({ from, to, models }: RatingOptions): Asked {
  const named =
    models === undefined
      ? ''
      : `and (toString(ifNull(l.provider, '')), toString(ifNull(l.model, ''))) in (
           select pair.1, pair.2 from (select arrayJoin(arrayZip({providers:Array(String)}, {models:Array(String)})) as pair))`;
  return {
    where: `l.created_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') and l.created_at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
      and l.provider is not null and l.cost_nano is not null ${named}`,
    params: {
      ...{ from, to },
      ...(models === undefined
        ? {}
        : { providers: models.map(({ provider }) => provider), models: models.map(({ model }) => model) }),
    },
  };
}

/** Starts, in their order: a table that is not ordered by time alone is read once for each. */
async function hoursWithRows(client: ClickHouseClient, options: RatingOptions): Promise<readonly number[]> {
  const { where, params } = asked(options);
  const hours = await askClickHouse<{ readonly hour: number }>(
    client,
    `select toUnixTimestamp(toStartOfHour(l.created_at)) as hour from ${LOG_SCHEMA}.logs as l where ${where} group by hour order by hour`,
    params,
  );
  return hours.map(({ hour }) => hour * 1_000);
}

function rowsBehind(
  client: ClickHouseClient,
  options: RatingOptions,
  after: Place | undefined,
): Promise<readonly StoredRow[]> {
  const { where, params } = asked(options);
  const behind =
    after === undefined
      ? ''
      : `and (l.created_at, l.id) > (fromUnixTimestamp64Milli({after:Int64}, 'UTC'), toUUID({afterId:String}))`;
  return readRows(client, `where ${where} ${behind} order by l.created_at, l.id limit {batch:UInt32}`, {
    ...{ ...params, batch: options.batch ?? BATCH },
    ...(after === undefined ? {} : { after: after.created_at, afterId: after.id }),
  });
}

interface Versions {
  readonly found: readonly StoredRow[];
  /** Unix time in ms. */
  readonly now: number;
}

/** One insert, of rows of one day. Versions only grow, also where the clock goes back. */
async function write(client: ClickHouseClient, changes: readonly Change[], { found, now }: Versions): Promise<void> {
  const versions = new Map(found.map(({ row, version }) => [row.id, version]));
  const lines = changes.map(({ after }) =>
    lineOf({ ...namesOf(after), version: Math.max(now, (versions.get(after.id) ?? 0) + 1) }),
  );
  await insertLines(client, 're_rated', lines);
}

/** As roll-ups name the row. */
const namesOf = (row: LogRow) => ({
  ...{ id: row.id, created_at: secondsOf(row.created_at), workspace: row.workspace },
  ...{ api_key: row.api_key ?? '', provider: row.provider ?? '', account: row.account ?? '', model: row.model ?? '' },
  ...{ config: row.config ?? '', prompt: row.prompt ?? '', status: row.status, cache: row.cache ?? '' },
  ...{ retries: row.retries, is_fallback: (row.target_index ?? 0) > 0, latency: latencyStep(row.response_ms) },
  ...{ end_user: row.end_user, cost_nano: row.cost_nano, is_unpriced: row.is_unpriced },
  first_cost_nano: row.decision.re_rated?.first_cost_nano ?? row.cost_nano,
  decision: lineOf(row.decision),
});
