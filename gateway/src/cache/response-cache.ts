import type { StoreBreaker } from '../store/index.ts';
import type { CacheStore } from './cache-store.ts';
import { type CacheKeyParts, cacheKey } from './key.ts';
import { type CacheableAnswer, storableJson } from './storable.ts';

/** Result of a look-up. Without a status the store could not be reached, and nothing is stored. */
export type CacheLookup =
  | { readonly status: 'HIT'; readonly key: string /** JSON text of the answer. */; readonly body: Buffer }
  | { readonly status: 'MISS' | 'REFRESH' | undefined; readonly key: string };

/** The exact-match response cache; docs/behaviour/caching.md. */
export interface ResponseCache {
  /** `refresh` removes the stored answer (`x-gw-cache-force-refresh: true`). Never rejects. */
  lookup(parts: CacheKeyParts, options: { readonly refresh: boolean }): Promise<CacheLookup>;
  /** The JSON text that is stored under the key of another request; undefined also where the store cannot be reached. Never rejects. */
  stored(key: string): Promise<Buffer | undefined>;
  /** Stores the answer to a miss or refresh in the background, if it may be stored. Never throws. */
  write(lookup: CacheLookup, answer: CacheableAnswer & { readonly ttlSeconds: number }): void;
  /** Waits for pending writes. */
  close(): Promise<void>;
}

export interface ResponseCacheOptions {
  readonly store: CacheStore;
  /** Reports errors of the store and skips it while it is failing. */
  readonly storeBreaker: StoreBreaker;
  /** Largest JSON text that is stored. */
  readonly maxEntryBytes?: number;
}

const MAX_ENTRY_BYTES = 1024 * 1024;
/** Concurrent writes; beyond it answers are not stored. With the entry size it bounds memory. */
const MAX_PENDING_WRITES = 256;

export function createResponseCache(options: ResponseCacheOptions): ResponseCache {
  const { store, storeBreaker, maxEntryBytes = MAX_ENTRY_BYTES } = options;
  const pending = new Set<Promise<unknown>>();

  const keep = (key: string, json: Buffer, ttlSeconds: number): void => {
    const write = storeBreaker.attempt(() => store.set(key, encodeEntry(json), ttlSeconds));
    pending.add(write);
    void write.finally(() => pending.delete(write));
  };

  const read = async (key: string) => {
    const found = await storeBreaker.attempt(() => store.get(key));
    return found.ok ? { ok: true, body: found.value && decodeEntry(found.value) } : { ok: false, body: undefined };
  };

  return {
    lookup: async (parts, { refresh }) => {
      const key = cacheKey(parts);
      if (refresh) {
        const removed = await storeBreaker.attempt(() => store.delete(key));
        return { status: removed.ok ? 'REFRESH' : undefined, key };
      }
      const { ok, body } = await read(key);
      if (!ok) return { status: undefined, key };
      return body === undefined ? { status: 'MISS', key } : { status: 'HIT', key, body };
    },
    stored: async (key) => (await read(key)).body,
    write: ({ status, key }, { ttlSeconds, ...answer }) => {
      if (status !== 'MISS' && status !== 'REFRESH') return;
      if (pending.size >= MAX_PENDING_WRITES) return;
      const json = storableJson(answer);
      if (json !== undefined && json.length <= maxEntryBytes) keep(key, json, ttlSeconds);
    },
    close: async () => {
      await Promise.all(pending);
      await store.close();
    },
  };
}

/** Version of the stored format, its first byte; raised when stored answers can no longer be served as they are. */
const FORMAT_VERSION = 1;

/** A stored answer: the version byte, then the JSON text. */
export const encodeEntry = (json: Buffer): Buffer => Buffer.concat([Buffer.of(FORMAT_VERSION), json]);

/** The JSON text, or undefined when it was stored in another version. */
const decodeEntry = (stored: Buffer): Buffer | undefined =>
  stored[0] === FORMAT_VERSION ? stored.subarray(1) : undefined;
