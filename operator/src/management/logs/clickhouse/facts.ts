/** What is summed up, as one table with the columns of roll-ups. */
import { LATENCY_RATIO, MAX_LATENCY_STEP } from '@gatehouse/crds/logs';
import { type Segment, type SegmentTable, segmentsOf } from '../sql/segments.ts';
import { type ClickHouseFilter, isOfRollUps, ofRow, rowConditions, sharedConditions } from './conditions.ts';
import type { Question } from './question.ts';
import { costedRows, costOf } from './re-rated.ts';

const TABLES = { minutes: 'log_minutes', hours: 'log_hours' } as const;

const COLUMNS = [
  ...['workspace', 'api_key', 'provider', 'account', 'model', 'config', 'prompt', 'status', 'cache'],
  ...['retries', 'latency', 'requests', 'attempts', 'response_ms', 'cost_nano'],
  ...['input_tokens', 'output_tokens', 'total_tokens', 'fallbacks'],
];
const NAMES = ['api_key', 'provider', 'account', 'model', 'config', 'prompt'];

/** Sums by a name are faster by its number in a dictionary; all facts have the same type, as roll-ups do. */
const named = (text: string): string => `toLowCardinality(toString(${text}))`;

type Time = Omit<Segment, 'table'>;
type RollUp = Segment & { readonly table: keyof typeof TABLES };

/**
 * The rows of the filter as facts, with `extra` columns in front. Conditions are those of columns of the table: it is in the order of
 * workspaces and times, and reads no others.
 */
export function rowFacts(q: Question, filter: ClickHouseFilter, { from, to }: Time, extra = ''): string {
  const names = NAMES.map((name) => `${named(`ifNull(l.${name}, '')`)} as ${name}`).join(', ');
  return `select ${extra === '' ? '' : `${extra}, `}
      l.created_at as bucket, ${named('l.workspace')} as workspace, ${names}, l.status as status,
      ${named(`ifNull(l.cache, '')`)} as cache, l.retries as retries,
      toUInt8(if(l.response_ms < 1, 0, least(${MAX_LATENCY_STEP}, 1 + floor(log(l.response_ms) / log(${LATENCY_RATIO}))))) as latency,
      toUInt64(l.is_final) as requests, toUInt64(1) as attempts, if(l.is_final, l.response_ms, 0) as response_ms,
      ${costOf(filter)} as cost_nano, l.input_tokens as input_tokens, l.output_tokens as output_tokens,
      l.total_tokens as total_tokens, toUInt64(l.is_final and l.fell_back) as fallbacks
    from ${costedRows(q, filter, { from, to })}
    where l.created_at >= ${q.time(from)} and l.created_at < ${q.time(to)} and ${rowConditions(q, filter)}
      and ${sharedConditions(q, filter, ofRow)}`;
}

export interface FactOptions {
  /** Whether whole hours are fine enough. */
  readonly hours: boolean;
  /** Whether fallbacks are counted. */
  readonly fallbacks: boolean;
}

/** Everything that the filter asks for. */
export function facts(q: Question, filter: ClickHouseFilter, { hours, fallbacks }: FactOptions): string {
  const tables: readonly Exclude<SegmentTable, 'rows'>[] = hours ? ['minutes', 'hours'] : ['minutes'];
  const segments = segmentsOf(filter.from, filter.to, isOfRollUps(filter) ? tables : []);
  const columns = ['bucket', ...COLUMNS].join(', ');
  const parts = segments.flatMap(({ table, ...time }) =>
    table === 'rows'
      ? [`select ${columns} from (${rowFacts(q, filter, time)})`]
      : [
          rollUpFacts(q, filter, { table, ...time }),
          ...(fallbacks ? [fallbackFacts(q, filter, { table, ...time })] : []),
          ...(filter.reRated === true ? [differenceFacts(q, filter, { table, ...time })] : []),
        ],
  );
  return parts.length === 0 ? `select ${columns} from (${rowFacts(q, filter, filter)})` : parts.join(' union all ');
}

function rollUpFacts(q: Question, filter: ClickHouseFilter, { table, from, to }: RollUp): string {
  const columns = COLUMNS.map((name) =>
    name === 'fallbacks' ? `${NOTHING[name]} as ${name}` : `r.${name} as ${name}`,
  );
  return `select toDateTime64(r.bucket, 3, 'UTC') as bucket, ${columns.join(', ')}
    from gateway_logs.${TABLES[table]} as r
    where r.bucket >= ${q.time(from)} and r.bucket < ${q.time(to)} and ${sharedConditions(q, filter, (name) => `r.${name}`)}`;
}

const FALLBACK_TABLES = { minutes: 'fallback_minutes', hours: 'fallback_hours' } as const;

/** What roll-ups do not tell of their requests. */
function fallbackFacts(q: Question, filter: ClickHouseFilter, { table, from, to }: RollUp): string {
  return `select toDateTime64(r.bucket, 3, 'UTC') as bucket, ${withoutMeasures({ fallbacks: 'r.fallbacks' }).join(', ')}
    from gateway_logs.${FALLBACK_TABLES[table]} as r
    where r.bucket >= ${q.time(from)} and r.bucket < ${q.time(to)} and ${sharedConditions(q, filter, (name) => `r.${name}`)}`;
}

const STARTS = { minutes: 'toStartOfMinute', hours: 'toStartOfHour' } as const;

/** By how much rows cost more, or less, than roll-ups say. */
function differenceFacts(q: Question, filter: ClickHouseFilter, { table, from, to }: RollUp): string {
  const columns = withoutMeasures({ cost_nano: 'r.cost_nano - r.first_cost_nano' });
  return `select toDateTime64(${STARTS[table]}(r.created_at), 3, 'UTC') as bucket, ${columns.join(', ')}
    from gateway_logs.re_rated as r final
    where r.created_at >= ${q.time(from)} and r.created_at < ${q.time(to)} and ${sharedConditions(q, filter, (name) => `r.${name}`)}`;
}

const NOTHING: Readonly<Record<string, string>> = {
  ...{ requests: 'toUInt64(0)', attempts: 'toUInt64(0)', response_ms: 'toFloat64(0)', cost_nano: 'toInt64(0)' },
  ...{ input_tokens: 'toUInt64(0)', output_tokens: 'toUInt64(0)', total_tokens: 'toUInt64(0)' },
  fallbacks: 'toUInt64(0)',
};

/** The columns of facts about `r`, with nothing to sum up but what is given. */
const withoutMeasures = (given: Readonly<Record<string, string>>): readonly string[] =>
  COLUMNS.map((name) => `${given[name] ?? NOTHING[name] ?? `r.${name}`} as ${name}`);
