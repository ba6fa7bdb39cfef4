import type { BackoffBounds } from '../time/index.ts';

export interface FeedTiming {
  /** How long the server is asked to keep a watch open, in s. */
  readonly watchSeconds: { readonly min: number; readonly max: number };
  /** After error answers. */
  readonly backoff: BackoffBounds;
  /** While there is no answer at all. */
  readonly awayBackoff: BackoffBounds;
  /** How often the server is checked for a Kind that it does not know. */
  readonly absentMs: number;
}

/** As in client-go. */
export const FEED_TIMING: FeedTiming = {
  watchSeconds: { min: 300, max: 600 },
  backoff: { minMs: 800, maxMs: 30_000 },
  // A server that is away gets few requests, and its return is noticed within seconds.
  awayBackoff: { minMs: 800, maxMs: 5_000 },
  absentMs: 30_000,
};
