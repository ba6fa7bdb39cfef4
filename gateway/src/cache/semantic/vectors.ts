import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/** Vectors of prompts, by what must be the same of their requests. */
export interface VectorStore {
  /** The vector of the partition that is nearest by cosine; of equal ones any. */
  nearest(partition: string, vector: Float32Array): Promise<Neighbour | undefined>;
  set(partition: string, entry: VectorEntry): void;
  delete(partition: string, key: string): void;
}

export interface Neighbour {
  /** Of the answer in the response cache. */
  readonly key: string;
  /** Cosine, −1 to 1. */
  readonly similarity: number;
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
}

/** Dimensions beyond which a vector is none. */
const MAX_DIMENSIONS = 8_192;
/** What an entry takes beside its vector, and a partition beside its entries. */
const OVERHEAD_BYTES = 256;
/** Numbers that are multiplied without a pause: two or three ms. */
const SLICE_NUMBERS = 2_000_000;

interface Kept {
  readonly vector: Float32Array;
  readonly expiresAtMs: number;
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
export function createMemoryVectors({ now, maxBytes }: MemoryVectorsOptions): VectorStore {
  const partitions = new LRUCache<string, Partition>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }, name) => bytes + name.length + OVERHEAD_BYTES,
  });
  return {
    nearest: async (name, vector) => partitions.get(name)?.nearest(vector, now),
    set: (name, { key, vector, ttlSeconds }) => {
      const partition = partitions.get(name) ?? new Partition();
      partition.set(key, { vector, expiresAtMs: now() + ttlSeconds * 1_000 });
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

  async nearest(vector: Float32Array, now: () => number): Promise<Neighbour | undefined> {
    let best: Neighbour | undefined;
    let left = SLICE_NUMBERS;
    for (const [key, kept] of this.#kept) {
      if (left <= 0) {
        await nextTurn();
        left = SLICE_NUMBERS;
      }
      left -= vector.length;
      if (kept.expiresAtMs <= now()) this.delete(key);
      else if (kept.vector.length === vector.length) {
        const similarity = product(kept.vector, vector);
        if (best === undefined || similarity > best.similarity) best = { key, similarity };
      }
    }
    return best;
  }
}

const sizeOf = (key: string, { vector }: Kept): number => vector.byteLength + key.length + OVERHEAD_BYTES;

function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
