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
  /** Of all policies: beyond it the groups of whole policies are forgotten, and begin anew. */
  readonly maxTotal?: number;
  readonly onOverflow: (policy: string) => void;
}

const MAX_PER_POLICY = 10_000;
const MAX_TOTAL = 200_000;
/** Not a bucket of any values: those contain a colon. */
export const OVERFLOW_BUCKET = 'overflow';

interface Known {
  readonly periodStartMs: number;
  readonly buckets: Set<string>;
}

export function createBuckets(options: BucketsOptions): Buckets {
  const { maxPerPolicy = MAX_PER_POLICY, maxTotal = MAX_TOTAL, onOverflow } = options;
  const policies = new Map<string, Known>();
  let total = 0;
  const forget = (policy: string): void => {
    total -= policies.get(policy)?.buckets.size ?? 0;
    policies.delete(policy);
  };
  /** Of other policies, those first that have begun their period first. */
  const makeRoom = (policy: string): void => {
    for (const other of policies.keys()) {
      if (total < maxTotal) return;
      if (other !== policy) forget(other);
    }
  };
  return {
    of: (policy, bucket, periodStartMs) => {
      let known = policies.get(policy);
      if (known === undefined || known.periodStartMs !== periodStartMs) {
        forget(policy);
        known = { periodStartMs, buckets: new Set() };
        policies.set(policy, known);
      }
      if (known.buckets.has(bucket)) return bucket;
      if (known.buckets.size >= maxPerPolicy) {
        onOverflow(policy);
        return OVERFLOW_BUCKET;
      }
      makeRoom(policy);
      known.buckets.add(bucket);
      total += 1;
      return bucket;
    },
  };
}
