import type { RatePrices } from './rate-row.ts';

/** Which rows are rated, and who is told. */
export interface RatingOptions {
  readonly prices: RatePrices;
  /** Unix time in ms; the end is not included. */
  readonly from: number;
  readonly to: number;
  /** As rows name them; undefined: all. */
  readonly models: readonly { readonly provider: string; readonly model: string }[] | undefined;
  /** Nothing is written. */
  readonly isDry: boolean;
  /** Rows that are written together; the usual number when absent. */
  readonly batch?: number;
  /** Unix time in ms. */
  now(): number;
  /** Between two batches: whether to end. */
  isStopped(): boolean;
  /** Once for each batch that was written, in the order of time. */
  onBatch(batch: ReRatedBatch): void;
}

export interface ReRatedBatch {
  readonly rows: readonly ReRatedRow[];
  /** Unix time in ms of the last row: rows before it are done. */
  readonly reached: number;
}

export interface ReRatedRow {
  readonly provider: string;
  readonly model: string;
  readonly before: number;
  readonly after: number;
  readonly kind: 'changed' | 'same' | 'usage' | 'account';
}
