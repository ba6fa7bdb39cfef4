/** The groups of a policy: each has a counter, as long as there are not too many of them. */

export interface Buckets {
  /**
   * The id of the counter for the values of a request: a bucket of its own, or the shared one when the period has too many.
   * `periodStartMs` differs between periods: with it the groups begin anew.
   */
  of(policy: string, bucket: string, periodStartMs: number): string;
}

export interface BucketsOptions {
  /** Of one policy in one period. */
  readonly maxPerPolicy?: number;
  readonly onOverflow: (policy: string) => void;
}

const MAX_PER_POLICY = 10_000;
/** Not a bucket of any values: those contain a colon. */
export const OVERFLOW_BUCKET = 'overflow';

export function createBuckets({ maxPerPolicy = MAX_PER_POLICY, onOverflow }: BucketsOptions): Buckets {
  const policies = new Map<string, { readonly periodStartMs: number; readonly buckets: Set<string> }>();
  return {
    of: (policy, bucket, periodStartMs) => {
      let known = policies.get(policy);
      if (known === undefined || known.periodStartMs !== periodStartMs) {
        known = { periodStartMs, buckets: new Set() };
        policies.set(policy, known);
      }
      if (known.buckets.has(bucket)) return bucket;
      if (known.buckets.size >= maxPerPolicy) {
        onOverflow(policy);
        return OVERFLOW_BUCKET;
      }
      known.buckets.add(bucket);
      return bucket;
    },
  };
}
