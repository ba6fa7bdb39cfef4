import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/** Vectors of prompts, by what must be the same of their requests. */
export interface VectorStore {
  /**
   * The vector of the partition that is nearest by cosine, of equal ones any; undefined where none has a cosine of `least` or
   * more.
   */
  nearest(partition: string, vector: Float32Array, least: number): Promise<Neighbour | undefined>;
  set(partition: string, entry: VectorEntry): void;
  delete(partition: string, key: string): void;
}

export interface Neighbour {
  /** Of the answer in the response cache. */
  readonly key: string;
  /** Cosine, −1 to 1. */
  readonly similarity: number;
  /** How long the answer is still to be used, in seconds. */
  readonly ttlSeconds: number;
}

export interface VectorEntry {
  readonly key: string;
  /** Of length 1. */
  readonly vector: Float32Array;
  readonly ttlSeconds: number;
}

export interface MemoryVectorsOptions {
  /** Unix time in ms. */
  now(): number;
  /** Of all vectors together; the partition that was used least goes first, and of the last one the oldest vectors. */
  readonly maxBytes: number;
  /** Told which partition had to go. */
  onEvicted?(partition: string): void;
}

/** Dimensions beyond which a vector is none. */
export const MAX_DIMENSIONS = 8_192;
/** What an entry takes beside its vector, and a partition beside its entries. */
const OVERHEAD_BYTES = 256;
/** Numbers that are multiplied without a pause: two or three ms. */
const SLICE_NUMBERS = 2_000_000;

/** Numbers that are multiplied before a vector may be given up. */
const BLOCK = 64;
/** Sums of floats differ by their order: no vector is given up for less. */
const TOLERANCE = 1e-5;

interface Comparable {
  readonly vector: Float32Array;
  /** The length of what is left of the vector from each block on. */
  readonly rests: Float32Array;
}

interface Kept extends Comparable {
  readonly expiresAtMs: number;
}

interface Search {
  readonly least: number;
  now(): number;
}

/** The vector with length 1; undefined for what has no direction. */
export function toUnit(values: unknown): Float32Array | undefined {
  if (!Array.isArray(values) || values.length === 0 || values.length > MAX_DIMENSIONS) return undefined;
  if (!values.every((value) => typeof value === 'number')) return undefined;
  const length = Math.hypot(...values);
  if (!Number.isFinite(length) || length === 0) return undefined;
  return Float32Array.from(values, (value: number) => value / length);
}

/** Exact search in the memory of this process. */
export function createMemoryVectors({ now, maxBytes, onEvicted }: MemoryVectorsOptions): VectorStore {
  const partitions = new LRUCache<string, Partition>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }, name) => bytes + name.length + OVERHEAD_BYTES,
    ...(onEvicted === undefined ? {} : { dispose: (_, name, reason) => void (reason === 'evict' && onEvicted(name)) }),
  });
  return {
    nearest: async (name, vector, least) => partitions.get(name)?.nearest(withRests(vector), { least, now }),
    set: (name, { key, vector, ttlSeconds }) => {
      const partition = partitions.get(name) ?? new Partition();
      partition.set(key, { ...withRests(vector), expiresAtMs: now() + ttlSeconds * 1_000 });
      partition.shrink(maxBytes - name.length - OVERHEAD_BYTES);
      if (partition.size > 0) partitions.set(name, partition);
    },
    delete: (name, key) => {
      const partition = partitions.get(name);
      if (partition?.delete(key) !== true) return;
      if (partition.size === 0) partitions.delete(name);
      else partitions.set(name, partition);
    },
  };
}

class Partition {
  readonly #kept = new Map<string, Kept>();
  bytes = 0;

  get size(): number {
    return this.#kept.size;
  }

  set(key: string, kept: Kept): void {
    this.delete(key); // the newest come last
    this.#kept.set(key, kept);
    this.bytes += sizeOf(key, kept);
  }

  delete(key: string): boolean {
    const kept = this.#kept.get(key);
    if (kept === undefined) return false;
    this.bytes -= sizeOf(key, kept);
    return this.#kept.delete(key);
  }

  shrink(maxBytes: number): void {
    for (const key of this.#kept.keys()) {
      if (this.bytes <= maxBytes) return;
      this.delete(key);
    }
  }

  async nearest(asked: Comparable, { least, now }: Search): Promise<Neighbour | undefined> {
    let best: (Pick<Neighbour, 'key' | 'similarity'> & Pick<Kept, 'expiresAtMs'>) | undefined;
    let left = SLICE_NUMBERS;
    for (const [key, kept] of this.#kept) {
      if (left <= 0) {
        await nextTurn();
        left = SLICE_NUMBERS;
      }
      left -= asked.vector.length;
      if (kept.expiresAtMs <= now()) this.delete(key);
      else if (kept.vector.length === asked.vector.length) {
        const similarity = cosineFrom(best?.similarity ?? least, kept, asked);
        if (similarity !== undefined) best = { key, similarity, expiresAtMs: kept.expiresAtMs };
      }
    }
    if (best === undefined) return undefined;
    const { key, similarity, expiresAtMs } = best;
    return { key, similarity, ttlSeconds: Math.max(0, Math.floor((expiresAtMs - now()) / 1_000)) };
  }
}

/**
 * The cosine of two vectors of length 1; undefined where it is smaller than `least`, which most pairs show after a few blocks: what
 * is left of two vectors adds at most the product of its lengths.
 */
function cosineFrom(least: number, a: Comparable, b: Comparable): number | undefined {
  const size = a.vector.length;
  let sum = 0;
  for (let from = 0, block = 0; from < size; from += BLOCK, block += 1) {
    const most = sum + (a.rests[block] ?? 0) * (b.rests[block] ?? 0);
    if (most < least - TOLERANCE) return undefined;
    sum += product(a.vector, b.vector, from, Math.min(from + BLOCK, size));
  }
  return sum < least ? undefined : sum;
}

function withRests(vector: Float32Array): Comparable {
  const blocks = Math.ceil(vector.length / BLOCK);
  const rests = new Float32Array(blocks);
  let squares = 0;
  for (let block = blocks - 1; block >= 0; block -= 1) {
    const from = block * BLOCK;
    squares += product(vector, vector, from, Math.min(from + BLOCK, vector.length));
    rests[block] = Math.sqrt(squares);
  }
  return { vector, rests };
}

function product(a: Float32Array, b: Float32Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

const sizeOf = (key: string, { vector, rests }: Comparable): number =>
  vector.byteLength + rests.byteLength + key.length + OVERHEAD_BYTES;
