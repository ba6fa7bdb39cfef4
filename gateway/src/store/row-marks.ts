/** How many rows of the output of a batch were counted, so that reading it again costs nothing: docs/behaviour/cost.md#batches-of-providers. */
import type { StateStore } from './state.ts';
import type { StoreBreaker } from './store-breaker.ts';

export interface RowMarks {
  /** Rows that were counted before; 0 where that is not known. Never rejects. */
  read(key: string): Promise<number>;
  /** In the background; never throws. */
  write(key: string, rows: number): void;
}

export interface RowMarkOptions {
  readonly states: StateStore;
  readonly storeBreaker: StoreBreaker;
}

/** Providers keep the output of a batch for 30 days. Source: OpenAI API, "Batch"; Anthropic API, "Message Batches" (29 days). */
const TTL_SECONDS = 30 * 24 * 3_600;
const PREFIX = 'batch-rows:';
const COUNT = /^\d{1,9}$/;

export const createRowMarks = ({ states, storeBreaker }: RowMarkOptions): RowMarks => ({
  read: async (key) => {
    const found = await storeBreaker.attempt(() => states.get(PREFIX + key));
    return found.ok && found.value !== undefined && COUNT.test(found.value) ? Number(found.value) : 0;
  },
  write: (key, rows) => {
    void storeBreaker.attempt(() => states.set(PREFIX + key, String(rows), TTL_SECONDS)); // never rejects
  },
});
