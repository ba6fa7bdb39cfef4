/** Rows whose prices change in hindsight, wherever the log is kept. */
import type { LogRow, LogUsage } from '@gatehouse/crds/logs';
import { compilePrice, createCatalogue, createPriceBook } from '../../../gateway/src/cost/index.ts';
import type { ReRatedRow, ReRateOptions } from '../../../gateway/src/request-log/index.ts';
import { logRow } from '../../kit/log-row.ts';

export const START = Date.UTC(2026, 0, 30, 23, 30);
export const HOUR = 3_600_000;

/** Prices of a model of no catalogue, in US dollars for a million tokens. */
export const pricesOf = (request: string, response: string): ReRateOptions['prices'] => ({
  prices: createPriceBook(
    { get: (provider) => (provider === 'openai' ? new Map([['ours', priceOf(request, response)]]) : undefined) },
    createCatalogue(),
  ),
  accountOf: (workspace, slug) => (workspace === 'team-a' && slug === 'main' ? { provider: 'openai' } : undefined),
});

const priceOf = (request: string, response: string) =>
  compilePrice({
    ...{ provider: 'openai', model: 'ours' },
    usdPerMillionTokens: { request, response, cacheWriteInput: '5' },
  });

/** Of 10 tokens of input and 20 of output, before and with the prices 2 and 3, in nano-dollars. */
export const FIRST_COST = 1_000;
export const NEW_COST = 80_000;

export const rated = (over: Partial<LogRow>, usage: LogUsage | null = {}): LogRow =>
  logRow({
    ...{ created_at: START, model: 'ours', answered_model: null, cost_nano: FIRST_COST, end_user: 'ann' },
    ...{ input_tokens: 10, output_tokens: 20, total_tokens: 30, cached_tokens: 0, reasoning_tokens: 0 },
    ...over,
    decision: { calls: 1, price: 'catalogue', ...(usage && { usage }), ...over.decision },
  });

export const kinds = (rows: readonly ReRatedRow[]) => rows.map(({ kind }) => kind);

/** With these there are several batches and days, and a row that is not final. */
export const some = (count: number): readonly LogRow[] =>
  Array.from({ length: count }, (_, n) =>
    rated({
      ...{ created_at: START + n * 17 * 60_000, is_final: n !== 3, api_key: n % 2 ? 'one' : 'two' },
      metadata: { all: 'yes' },
    }),
  );

/** What a row says of its cost once it was rated with the prices 2 and 3. */
export const RATED = {
  ...{ calls: 1, price: 'pricing', usage: {} },
  re_rated: {
    ...{ first_cost_nano: FIRST_COST, first_unpriced: false, first_price: 'catalogue' },
    at: new Date(START).toISOString(),
  },
} as const;
