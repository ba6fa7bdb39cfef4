/** Sums of facts. */
import type { Sql } from 'kysely';
import type { LogFilter, Page, Sum, SumOptions, Totals } from '../reader.ts';
import type { Fragment } from './conditions.ts';
import { facts } from './facts.ts';
import { pageOf } from './pages.ts';

/** Numbers come as texts where they are large. */
type Numbers<T> = { readonly [K in keyof T]: string | number | null };

type SumRow = Numbers<Omit<Totals, 'firstSeen' | 'lastSeen'>> & {
  readonly time: string | number | null;
  readonly firstSeen: string | number | null;
  readonly lastSeen: string | number | null;
  readonly times: Sum['times'] | null;
  readonly total: string | number;
  readonly place?: string | number;
} & Readonly<Record<string, unknown>>;

export const msOf = (sql: Sql, time: Fragment): Fragment => sql`(extract(epoch from ${time}) * 1000)::float8`;

const LENGTHS = { minute: '1 minute', hour: '1 hour', day: '1 day', week: '7 days' } as const;
/** A Monday. */
const ORIGIN = '1970-01-05T00:00:00Z';

/** The start of the span of a time. */
export const spanOf = (sql: Sql, column: string, width: SumOptions['width']): Fragment =>
  width === undefined
    ? sql`null::timestamptz`
    : sql`date_bin(${sql.lit(LENGTHS[width])}::interval, ${sql.ref(column)}, ${sql.lit(ORIGIN)}::timestamptz)`;

const HITS = "('HIT', 'SEMANTIC HIT')";

/** One statement: it sees rows and roll-ups as they were at one moment. */
export function sumQuery(sql: Sql, filter: LogFilter, { by, width, withTimes, withFallbacks, page }: SumOptions) {
  const names = by.map((name) => sql.ref(name));
  const groups = sql.join([sql`time`, ...names]);
  const measures = sql`
    sum(requests) as requests, sum(attempts) as attempts,
    coalesce(sum(requests) filter (where status not between 200 and 299), 0) as errors,
    coalesce(sum(requests) filter (where cache in ${sql.raw(HITS)}), 0) as hits,
    sum(response_ms) as response_ms, sum(cost_nano) as cost_nano, sum(input_tokens) as input_tokens,
    sum(output_tokens) as output_tokens, sum(total_tokens) as total_tokens,
    ${withFallbacks ? sql`sum(fallbacks)` : sql`0`} as fallbacks, min(bucket) as first_seen, max(bucket) as last_seen`;
  // Steps of times are a group of their own, where they are asked for.
  const steps = withTimes ? [sql`latency`] : [];
  const sums = sql`
    select ${sql.join([sql`${msOf(sql, sql`time`)} as time`, ...names])},
      sum(requests) as requests, sum(attempts) as attempts, sum(errors) as errors, sum(hits) as hits,
      sum(response_ms) as "responseMs", sum(cost_nano) as "costNano", sum(input_tokens) as "inputTokens",
      sum(output_tokens) as "outputTokens", sum(total_tokens) as "totalTokens", sum(fallbacks) as fallbacks,
      ${msOf(sql, sql`min(first_seen)`)} as "firstSeen", ${msOf(sql, sql`max(last_seen)`)} as "lastSeen",
      ${withTimes ? sql`json_agg(json_build_array(latency, requests) order by latency)` : sql`null`} as times
    from fine group by ${groups}`;
  return sql<SumRow>`
    with facts as (${facts(sql, filter, { hours: width !== 'minute' })}),
    fine as (
      select ${sql.join([sql`${spanOf(sql, 'bucket', width)} as time`, ...names, ...steps])}, ${measures}
      from facts group by ${sql.join([sql`1`, ...names, ...steps])}
    )
    ${page === undefined ? pageOf(sql, sums, groups, ALL) : pageOf(sql, sums, sql`requests desc, attempts desc, ${groups}`, page)}`;
}

/** More are no graph that anybody can look at. */
const ALL: Page = { limit: 100_000, offset: 0 };

export function toSum(row: SumRow, by: SumOptions['by']): Sum {
  return {
    time: Number(row.time),
    of: Object.fromEntries(by.map((name) => [name, row[name] as string | number | boolean])), // as the column is
    times: row.times ?? [],
    requests: Number(row.requests),
    attempts: Number(row.attempts),
    errors: Number(row.errors),
    hits: Number(row.hits),
    responseMs: Number(row.responseMs),
    costNano: Number(row.costNano),
    inputTokens: Number(row.inputTokens),
    outputTokens: Number(row.outputTokens),
    totalTokens: Number(row.totalTokens),
    fallbacks: Number(row.fallbacks),
    firstSeen: Number(row.firstSeen),
    lastSeen: Number(row.lastSeen),
  };
}
