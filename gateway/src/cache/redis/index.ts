import type { RedisConnection } from '../../store/index.ts';
import type { CacheStore } from '../cache-store.ts';

export interface RedisCacheOptions {
  readonly maxEntryBytes?: number;
}

const MAX_ENTRY_BYTES = 1024 * 1024;

/** Answers shared by all gateways. */
export function createRedisCacheStore(connection: RedisConnection, options: RedisCacheOptions = {}): CacheStore {
  const maxEntryBytes = options.maxEntryBytes ?? MAX_ENTRY_BYTES;
  const remove = async (key: string): Promise<void> => {
    await connection.run((client) => client.del(key));
  };
  return {
    get: async (key) => (await connection.run((client) => client.getBuffer(key))) ?? undefined,
    set: async (key, value, ttlSeconds) => {
      if (value.length > maxEntryBytes) return remove(key);
      await connection.run((client) => client.set(key, value, 'EX', ttlSeconds));
    },
    delete: remove,
    close: async () => {},
  };
}
