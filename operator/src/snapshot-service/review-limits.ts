/** Limits the rate of token reviews, per source address and in total. */
import type { Clock } from '../runtime/index.ts';

interface Rate {
  /** At once. */
  readonly burst: number;
  readonly perSecond: number;
}

/** All sidecars connect to a replica that has just started; an API server answers thousands of reviews per second. */
const IN_ALL: Rate = { burst: 500, perSecond: 100 };
/** A sidecar needs a review now and then; behind one address there may be the pods of a node. */
const PER_SOURCE: Rate = { burst: 60, perSecond: 5 };
/** Sources that are tracked; the least recently active one is dropped. */
const MAX_SOURCES = 10_000;

export interface ReviewLimits {
  /** Takes a permit; false when there is none now. */
  take(source: string): boolean;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

export function createReviewLimits(clock: Clock): ReviewLimits {
  const all: Bucket = { tokens: IN_ALL.burst, atMs: clock.monotonicMs() };
  const sources = new Map<string, Bucket>();
  const refill = (bucket: Bucket, { burst, perSecond }: Rate): void => {
    const nowMs = clock.monotonicMs();
    bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * perSecond);
    bucket.atMs = nowMs;
  };
  return {
    take: (source) => {
      const key = networkOf(source);
      const own = sources.get(key) ?? { tokens: PER_SOURCE.burst, atMs: clock.monotonicMs() };
      sources.delete(key);
      sources.set(key, own);
      const [oldest] = sources.keys();
      if (sources.size > MAX_SOURCES && oldest !== undefined) sources.delete(oldest);
      refill(own, PER_SOURCE);
      refill(all, IN_ALL);
      if (own.tokens < 1 || all.tokens < 1) return false;
      own.tokens -= 1;
      all.tokens -= 1;
      return true;
    },
  };
}

/** The owner of an IPv6 network has all of its addresses. */
function networkOf(source: string): string {
  const mapped = source.replace(/^::ffff:(?=\d+\.)/, '');
  return mapped.includes(':') ? mapped.split(':').slice(0, 4).join(':') : mapped;
}
