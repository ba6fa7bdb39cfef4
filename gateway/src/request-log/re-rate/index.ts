/** Prices in hindsight. */
export type { RatingOptions, ReRatedBatch, ReRatedRow } from './options.ts';
export { MAX_SIDECAR_COST_NANO, type RatePrices, type Rating, rateRow } from './rate-row.ts';
export { type ReRateOptions, reRate } from './re-rate.ts';
export { type ClickHouseReRateOptions, reRateClickHouse } from './re-rate-clickhouse.ts';
