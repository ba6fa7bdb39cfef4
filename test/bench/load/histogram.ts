/** Values below 2^8 have a bucket each; above, every power of two is cut into 128: at most 0.8 % off. */
const SUB_BITS = 7;
const SUB_BUCKETS = 2 ** SUB_BITS;
/** Largest value: 2^31 - 1, which is 35 minutes in microseconds; larger ones count as that. */
const MAX_VALUE = 2 ** 31 - 1;

/** The distribution of a measurement, in the unit of the recorded values. */
export interface Summary {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Counts whole numbers in buckets of constant relative width, like HdrHistogram: constant memory, no sorting. */
export class Histogram {
  readonly #counts = new Uint32Array(bucketOf(MAX_VALUE) + 1);
  #count = 0;
  #max = 0;

  record(value: number): void {
    const bounded = Math.min(Math.max(Math.round(value), 0), MAX_VALUE);
    const bucket = bucketOf(bounded);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#count += 1;
    if (bounded > this.#max) this.#max = bounded;
  }

  /** The smallest recorded value that at least this share of all values does not exceed; 0 when there are none. */
  quantile(share: number): number {
    const wanted = Math.max(1, Math.ceil(this.#count * share));
    let seen = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      seen += count;
      if (seen >= wanted) return Math.min(topOf(bucket), this.#max);
    }
    return 0;
  }

  summary(): Summary {
    return { count: this.#count, p50: this.quantile(0.5), p99: this.quantile(0.99), max: this.#max };
  }
}

function bucketOf(value: number): number {
  const shift = Math.max(0, 32 - Math.clz32(value) - SUB_BITS - 1);
  return shift * SUB_BUCKETS + Math.floor(value / 2 ** shift);
}

/** The largest value of a bucket. */
function topOf(bucket: number): number {
  const shift = Math.max(0, Math.floor(bucket / SUB_BUCKETS) - 1);
  return (bucket - shift * SUB_BUCKETS + 1) * 2 ** shift - 1;
}
