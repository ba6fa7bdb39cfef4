/** What is shown of a group, made of its sums. */
import { LOG_GROUP_COLUMNS } from '@gatehouse/crds/rest';
import { RestError } from '../../http/rest-error.ts';
import type { Sum } from '../../logs/index.ts';
import { CENT_NANO } from '../logs/index.ts';
import { timestamp } from './spans.ts';
import { percent, percentile, ratio, rounded } from './times.ts';

type Column = (typeof LOG_GROUP_COLUMNS)[number];

const COLUMNS = {
  cost: ({ costNano }) => costNano / CENT_NANO,
  total_tokens: ({ totalTokens }) => totalTokens,
  avg_tokens: ({ totalTokens, requests }) => ratio(totalTokens, requests),
  avg_input_tokens: ({ inputTokens, requests }) => ratio(inputTokens, requests),
  avg_output_tokens: ({ outputTokens, requests }) => ratio(outputTokens, requests),
  avg_latency: ({ responseMs, requests }) => ratio(responseMs, requests),
  p95_latency: ({ times }) => percentile(times, 0.95),
  p99_latency: ({ times }) => percentile(times, 0.99),
  success_rate: ({ errors, requests }) => rounded(percent(requests - errors, requests)),
  error_count: ({ errors }) => errors,
  cache_hit_rate: ({ hits, requests }) => percent(hits, requests),
  last_seen: ({ lastSeen }) => timestamp(lastSeen),
  first_seen: ({ firstSeen }) => timestamp(firstSeen),
} as const satisfies { readonly [C in Column]: (sum: Sum) => number | string };

/** Throws RestError INVALID for a column that is not known. */
export function columnsIn(text: string | undefined): readonly Column[] {
  const names = (text ?? '').split(',').map((name) => name.trim());
  return names
    .filter((name) => name !== '')
    .map((name) => {
      const known = LOG_GROUP_COLUMNS.find((column) => column === name);
      if (known !== undefined) return known;
      const message = `query columns: ${JSON.stringify(name)} is none of ${LOG_GROUP_COLUMNS.join(', ')}`;
      throw new RestError('INVALID', { message, param: 'columns' });
    });
}

export const needsTimes = (columns: readonly Column[]): boolean =>
  columns.some((name) => name === 'p95_latency' || name === 'p99_latency');

type Shown = { readonly [C in Column]?: ReturnType<(typeof COLUMNS)[C]> };

/** Of the requests: a group that only has further attempts, or further models of a batch, has none. */
const OF_REQUESTS: ReadonlySet<Column> = new Set([
  ...(['avg_tokens', 'avg_input_tokens', 'avg_output_tokens', 'avg_latency', 'p95_latency', 'p99_latency'] as const),
  ...(['success_rate', 'cache_hit_rate'] as const),
]);

export const toColumns = (sum: Sum, columns: readonly Column[]): Shown =>
  Object.fromEntries(
    columns.filter((name) => sum.requests > 0 || !OF_REQUESTS.has(name)).map((name) => [name, COLUMNS[name](sum)]), // as COLUMNS says
  );
