import { createHash } from 'node:crypto';

// 2026-01-01T00:00:00Z in seconds: answers must not depend on the clock.
const EPOCH_SECONDS = 1_767_225_600;
// Bytes hashed at each end of a body. Enough to tell conversations apart, cheap for a body of many megabytes.
const SAMPLE_BYTES = 8_192;

/** Source of the ids and times of one answer: the same request has the same seed. */
export interface Seed {
  readonly createdSeconds: number;
  /** The same time in RFC 3339. */
  readonly createdTime: string;
  /** `prefix` and 24 hexadecimal digits; ids of one answer with the same prefix differ by `index`. */
  id(prefix: string, index?: number): string;
}

export function createSeed(path: string, body: Buffer): Seed {
  const hash = createHash('sha1').update(`${path}\n${body.length}\n`).update(body.subarray(0, SAMPLE_BYTES));
  if (body.length > SAMPLE_BYTES) hash.update(body.subarray(Math.max(SAMPLE_BYTES, body.length - SAMPLE_BYTES)));
  const hex = hash.digest('hex');
  const createdSeconds = EPOCH_SECONDS + Number.parseInt(hex.slice(0, 5), 16);
  return {
    createdSeconds,
    get createdTime() {
      return new Date(createdSeconds * 1_000).toISOString();
    },
    id: (prefix, index = 0) => `${prefix}${hex.slice(0, 22)}${index.toString(16).padStart(2, '0')}`,
  };
}
