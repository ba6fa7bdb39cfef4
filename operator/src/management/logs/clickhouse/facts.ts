/** What is summed up, as one table with the columns of roll-ups. */
import { LATENCY_RATIO, MAX_LATENCY_STEP } from '@gatehouse/crds/logs';
import { type Segment, type SegmentTable, segmentsOf } from '../sql/segments.ts';
import { type ClickHouseFilter, isOfRollUps, ofRow, rowConditions, sharedConditions } from './conditions.ts';
import type { Question } from './question.ts';
import { costedRows, costOf } from './re-rated.ts';

const TABLES = { minutes: 'log_minutes', hours: 'log_hours' } as const;

const COLUMNS = [
  ...['workspace', 'api_key', 'provider', 'account', 'model', 'config', 'prompt', 'status', 'cache'],
  ...['retries', 'is_fallback', 'latency', 'requests', 'attempts', 'response_ms', 'cost_nano'],
  ...['input_tokens', 'output_tokens', 'total_tokens'],
];
const NAMES = ['api_key', 'provider', 'account', 'model', 'config', 'prompt'];

/** Sums by a name are faster by its number in a dictionary; all facts have the same type, as roll-ups do. */
const named = (text: string): string => `toLowCardinality(toString(${text}))`;

type Time = Omit<Segment, 'table'>;

/**
 * The rows of the filter as facts, with `extra` columns in front. Conditions are those of columns of the table: it is in the order of
 * workspaces and times, and reads no others.
 */
export function rowFacts(q: Question, filter: ClickHouseFilter, { from, to }: Time, extra = ''): string {
  const names = NAMES.map((name) => `${named(`ifNull(l.${name}, '')`)} as ${name}`).join(', ');
  return `select ${extra === '' ? '' : `${extra}, `}
      l.created_at as bucket, ${named('l.workspace')} as workspace, ${names}, l.status as status,
      ${named(`ifNull(l.cache, '')`)} as cache, l.retries as retries, toBool(ifNull(l.target_index, 0) > 0) as is_fallback,
      toUInt8(if(l.response_ms < 1, 0, least(${MAX_LATENCY_STEP}, 1 + floor(log(l.response_ms) / log(${LATENCY_RATIO}))))) as latency,
      toUInt64(l.is_final) as requests, toUInt64(1) as attempts, if(l.is_final, l.response_ms, 0) as response_ms,
      ${costOf(filter)} as cost_nano, l.input_tokens as input_tokens, l.output_tokens as output_tokens,
      l.total_tokens as total_tokens
    from ${costedRows(q, filter, { from, to })}
    where l.created_at >= ${q.time(from)} and l.created_at < ${q.time(to)} and ${rowConditions(q, filter)}
      and ${sharedConditions(q, filter, ofRow)}`;
}

/** Everything that the filter asks for. `hours`: whether whole hours are fine enough. */
export function facts(q: Question, filter: ClickHouseFilter, { hours }: { readonly hours: boolean }): string {
  const tables: readonly Exclude<SegmentTable, 'rows'>[] = hours ? ['minutes', 'hours'] : ['minutes'];
  const segments = segmentsOf(filter.from, filter.to, isOfRollUps(filter) ? tables : []);
  const columns = ['bucket', ...COLUMNS].join(', ');
  const parts = segments.flatMap(({ table, ...time }) =>
    table === 'rows'
      ? [`select ${columns} from (${rowFacts(q, filter, time)})`]
      : [
          rollUpFacts(q, filter, { table, ...time }),
          ...(filter.reRated === true ? [differenceFacts(q, filter, { table, ...time })] : []),
        ],
  );
  return parts.length === 0 ? `select ${columns} from (${rowFacts(q, filter, filter)})` : parts.join(' union all ');
}

function rollUpFacts(
  q: Question,
  filter: ClickHouseFilter,
  { table, from, to }: Segment & { readonly table: keyof typeof TABLES },
): string {
  const columns = COLUMNS.map((name) => `r.${name} as ${name}`);
  return `select toDateTime64(r.bucket, 3, 'UTC') as bucket, ${columns.join(', ')}
    from gateway_logs.${TABLES[table]} as r
    where r.bucket >= ${q.time(from)} and r.bucket < ${q.time(to)} and ${sharedConditions(q, filter, (name) => `r.${name}`)}`;
}

const STARTS = { minutes: 'toStartOfMinute', hours: 'toStartOfHour' } as const;

/** By how much rows cost more, or less, than roll-ups say. */
function differenceFacts(
  q: Question,
  filter: ClickHouseFilter,
  { table, from, to }: Segment & { readonly table: keyof typeof TABLES },
): string {
  const columns = COLUMNS.map((name) => {
    if (name === 'cost_nano') return 'r.cost_nano - r.first_cost_nano as cost_nano';
    if (name === 'response_ms') return 'toFloat64(0) as response_ms';
    if (COUNTS.has(name)) return `toUInt64(0) as ${name}`;
    return `r.${name} as ${name}`;
  });
  return `select toDateTime64(${STARTS[table]}(r.created_at), 3, 'UTC') as bucket, ${columns.join(', ')}
    from gateway_logs.re_rated as r final
    where r.created_at >= ${q.time(from)} and r.created_at < ${q.time(to)} and ${sharedConditions(q, filter, (name) => `r.${name}`)}`;
}

const COUNTS = new Set(['requests', 'attempts', 'input_tokens', 'output_tokens', 'total_tokens']);
