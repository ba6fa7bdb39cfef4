import type { BackoffBounds } from '../time/index.ts';

export interface FeedTiming {
  /** How long the server is asked to keep a watch open, in s. */
  readonly watchSeconds: { readonly min: number; readonly max: number };
  /** After answers that are errors. */
  readonly backoff: BackoffBounds;
  /** While there is no answer at all. */
  readonly awayBackoff: BackoffBounds;
  /** How often a Kind that the server does not know is looked for. */
  readonly absentMs: number;
}

/** Engineering 8.14, as client-go does it. */
export const FEED_TIMING: FeedTiming = {
  watchSeconds: { min: 300, max: 600 },
  backoff: { minMs: 800, maxMs: 30_000 },
  // A server that is away is not burdened by questions, and one that is back is to be noticed within seconds.
  awayBackoff: { minMs: 800, maxMs: 5_000 },
  absentMs: 30_000,
};
