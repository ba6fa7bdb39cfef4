/** How many rows of the output of a batch were counted, so that reading it again costs nothing: docs/behaviour/cost.md#batches-of-providers. */
import type { StateStore } from './state.ts';
import type { StoreBreaker } from './store-breaker.ts';

export interface RowMarks {
  /** Rows that were counted before; 0 where that is not known. */
  read(output: string): Promise<number>;
  /** From now on, rows up to `rows` are counted. False: somebody else has counted rows beyond `before` meanwhile. */
  claim(output: string, claim: RowClaim): Promise<boolean>;
}

export interface RowClaim {
  /** What `read` has said. */
  readonly before: number;
  readonly rows: number;
}

export interface RowMarkOptions {
  readonly states: StateStore;
  readonly storeBreaker: StoreBreaker;
}

/** Providers keep the output of a batch for 30 days. Source: OpenAI API, "Batch"; Anthropic API, "Message Batches" (29 days). */
const TTL_SECONDS = 30 * 24 * 3_600;
const PREFIX = 'batch-rows:';
const COUNT = /^\d{1,9}$/;

/** Never reject, and let every claim be: two calls that read the same rows at the same time may both count them. */
export const createRowMarks = ({ states, storeBreaker }: RowMarkOptions): RowMarks => ({
  read: async (output) => {
    const found = await storeBreaker.attempt(() => states.get(PREFIX + output));
    return found.ok && found.value !== undefined && COUNT.test(found.value) ? Number(found.value) : 0;
  },
  claim: async (output, { rows }) => {
    void storeBreaker.attempt(() => states.set(PREFIX + output, String(rows), TTL_SECONDS)); // never rejects
    return true;
  },
});
