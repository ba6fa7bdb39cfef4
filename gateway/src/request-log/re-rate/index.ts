/** Prices in hindsight. */
export { type RatePrices, type Rating, rateRow } from './rate-row.ts';
export { type ReRatedBatch, type ReRatedRow, type ReRateOptions, reRate } from './re-rate.ts';
