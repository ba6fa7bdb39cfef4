/** What is summed up, as one table with the columns of roll-ups. */
import { LATENCY_RATIO, MAX_LATENCY_STEP } from '@gatehouse/crds/logs';
import type { Sql } from 'kysely';
import type { LogFilter } from '../reader.ts';
import { type Fragment, isOfRollUps, rowConditions, sharedConditions } from './conditions.ts';
import { type Segment, type SegmentTable, segmentsOf } from './segments.ts';

const TABLES = { minutes: 'log_minutes', hours: 'log_hours', users: 'user_hours', rows: 'logs' } as const;

const COLUMNS = [
  ...['bucket', 'workspace', 'api_key', 'provider', 'account', 'model', 'config', 'prompt', 'status', 'cache'],
  ...['retries', 'latency', 'requests', 'attempts', 'response_ms', 'cost_nano'],
  ...['input_tokens', 'output_tokens', 'total_tokens', 'fallbacks'],
];

/** The year 9999: later ones have another form. */
const LAST_MS = 253_370_764_800_000;

export const instant = (ms: number): string => new Date(Math.min(Math.max(ms, 0), LAST_MS)).toISOString();

/** The rows of the filter as facts, with `extra` columns in front. */
export function rowFacts(
  sql: Sql,
  filter: LogFilter,
  { from, to }: Omit<Segment, 'table'>,
  extra?: Fragment,
): Fragment {
  const empty = (name: string) => sql`coalesce(l.${sql.id(name)}, '') as ${sql.id(name)}`;
  return sql`select * from (
    select ${extra === undefined ? sql`` : sql`${extra}, `}
      l.created_at as bucket, l.workspace, ${empty('api_key')}, ${empty('provider')}, ${empty('account')},
      ${empty('model')}, ${empty('config')}, ${empty('prompt')}, l.status, ${empty('cache')}, l.retries,
      (case when l.response_ms < 1 then 0
        else least(${sql.lit(MAX_LATENCY_STEP)}, 1 + floor(ln(l.response_ms) / ln(${sql.lit(LATENCY_RATIO)}::float8))) end)::smallint as latency,
      l.is_final::int::bigint as requests, 1::bigint as attempts,
      case when l.is_final then l.response_ms else 0 end as response_ms,
      coalesce(l.cost_nano, 0) as cost_nano, l.input_tokens, l.output_tokens, l.total_tokens,
      (l.is_final and l.fell_back)::int::bigint as fallbacks
    from gateway_logs.logs l
    where l.created_at >= ${instant(from)}::timestamptz and l.created_at < ${instant(to)}::timestamptz
      and ${rowConditions(sql, filter)}
  ) facts where ${sharedConditions(sql, filter)}`;
}

/** Everything that the filter asks for. `hours`: whether whole hours are fine enough. */
export function facts(sql: Sql, filter: LogFilter, { hours }: { readonly hours: boolean }): Fragment {
  const tables: readonly Exclude<SegmentTable, 'rows'>[] = hours ? ['minutes', 'hours'] : ['minutes'];
  const segments = segmentsOf(filter.from, filter.to, isOfRollUps(filter) ? tables : []);
  const columns = sql.join(COLUMNS.map((name) => sql.ref(name)));
  const parts = segments.map((segment) =>
    segment.table === 'rows' ? rowFacts(sql, filter, segment) : rollUpFacts(sql, filter, segment, columns),
  );
  return parts.length === 0 ? rowFacts(sql, filter, filter) : sql.join(parts, sql` union all `);
}

const rollUpFacts = (sql: Sql, filter: LogFilter, { table, from, to }: Segment, columns: Fragment): Fragment => sql`
  select ${columns} from gateway_logs.${sql.id(TABLES[table])}
  where bucket >= ${instant(from)}::timestamptz and bucket < ${instant(to)}::timestamptz
    and ${sharedConditions(sql, filter)}`;
