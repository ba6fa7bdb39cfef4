/** Prices in hindsight. */
export { MAX_SIDECAR_COST_NANO, type RatePrices, type Rating, rateRow } from './rate-row.ts';
export { type ReRatedBatch, type ReRatedRow, type ReRateOptions, reRate } from './re-rate.ts';
