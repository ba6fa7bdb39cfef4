import { LRUCache } from 'lru-cache';
import type { CacheStore } from '../cache-store.ts';

export interface MemoryCacheOptions {
  /** Unix time in ms. */
  readonly now: () => number;
  /** Of all values and keys together; the least recently used are evicted first. */
  readonly maxBytes?: number;
  readonly maxEntryBytes?: number;
}

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ENTRY_BYTES = 1024 * 1024;
/** Estimated overhead of an entry beside key and value. */
const OVERHEAD_BYTES = 256;

/** Answers kept in this process only. */
export function createMemoryCacheStore(options: MemoryCacheOptions): CacheStore {
  const { now, maxBytes = MAX_BYTES, maxEntryBytes = MAX_ENTRY_BYTES } = options;
  const entries = new LRUCache<string, Buffer>({
    maxSize: maxBytes,
    sizeCalculation: (value, key) => value.length + key.length + OVERHEAD_BYTES,
    ttlResolution: 0, // no timer
    perf: { now },
  });
  return {
    get: async (key) => entries.get(key),
    set: async (key, value, ttlSeconds) => {
      if (value.length > maxEntryBytes) entries.delete(key);
      // Copied: a slice would keep its whole parent buffer in memory.
      else entries.set(key, Buffer.from(value), { ttl: ttlSeconds * 1_000 });
    },
    delete: async (key) => {
      entries.delete(key);
    },
    close: async () => entries.clear(),
  };
}
