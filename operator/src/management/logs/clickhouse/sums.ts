/** Sums of facts. */
import type { Page, Sum, SumOptions, Totals } from '../reader.ts';
import type { ClickHouseFilter } from './conditions.ts';
import { facts } from './facts.ts';
import { pageOf } from './pages.ts';
import type { Question } from './question.ts';
import { msOf, spanOf } from './spans.ts';

export type SumRow = Omit<Totals, never> & {
  readonly time: number;
  readonly times: Sum['times'];
  readonly total: number;
  readonly place: number;
} & Readonly<Record<string, unknown>>;

/** More are no graph that anybody can look at. */
const ALL: Page = { limit: 100_000, offset: 0 };

export function sumQuery(q: Question, filter: ClickHouseFilter, options: SumOptions): string {
  const { by, width, withTimes, withFallbacks, page } = options;
  const groups = ['time', ...by].join(', ');
  // Steps of times are a group of their own, where they are asked for.
  const steps = withTimes === true ? ['latency'] : [];
  return `
    with facts as (${facts(q, filter, { hours: width !== 'minute', fallbacks: withFallbacks === true })}),
    fine as (
      select ${[`${spanOf('bucket', width)} as time`, ...by, ...steps].join(', ')},
        sum(f.requests) as requests, sum(f.attempts) as attempts,
        sumIf(f.requests, f.status < 200 or f.status > 299) as errors,
        sumIf(f.requests, f.cache in ('HIT', 'SEMANTIC HIT')) as hits,
        sum(f.response_ms) as response_ms, sum(f.cost_nano) as cost_nano, sum(f.input_tokens) as input_tokens,
        sum(f.output_tokens) as output_tokens, sum(f.total_tokens) as total_tokens,
        ${withFallbacks === true ? 'sum(f.fallbacks)' : 'toUInt64(0)'} as fallbacks,
        min(f.bucket) as first_seen, max(f.bucket) as last_seen
      from facts as f group by ${[groups, ...steps].join(', ')}
    ),
    grouped as (
      select ${groups}, sum(n.requests) as requests, sum(n.attempts) as attempts, sum(n.errors) as errors,
        sum(n.hits) as hits, sum(n.response_ms) as responseMs, sum(n.cost_nano) as costNano,
        sum(n.input_tokens) as inputTokens, sum(n.output_tokens) as outputTokens, sum(n.total_tokens) as totalTokens,
        sum(n.fallbacks) as fallbacks,
        ${msOf('min(n.first_seen)')} as firstSeen, ${msOf('max(n.last_seen)')} as lastSeen,
        ${withTimes === true ? 'arraySort(groupArray((n.latency, n.requests)))' : '[]'} as times
      from fine as n group by ${groups}
    )
    ${page === undefined ? pageOf(q, 'grouped', groups, ALL) : pageOf(q, 'grouped', `requests desc, attempts desc, ${groups}`, page)}`;
}

export function toSum(row: SumRow, by: SumOptions['by']): Sum {
  const { time, times, requests, attempts, errors, hits, responseMs, costNano, firstSeen, lastSeen } = row;
  const { inputTokens, outputTokens, totalTokens, fallbacks } = row;
  return {
    ...{ time, times, requests, attempts, errors, hits, responseMs, costNano, firstSeen, lastSeen },
    ...{ inputTokens, outputTokens, totalTokens, fallbacks },
    of: Object.fromEntries(by.map((name) => [name, row[name] as string | number | boolean])), // as the column is
  };
}
