/** Prices in hindsight. */
export { type ReRatedBatch, type ReRatedRow, type ReRateOptions, reRate } from './re-rate.ts';
