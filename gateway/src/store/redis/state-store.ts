import type { StateStore } from '../state.ts';
import type { RedisConnection } from './connection.ts';

/** States shared by all gateways. */
export function createRedisStateStore(connection: RedisConnection): StateStore {
  return {
    get: async (key) => (await connection.run((client) => client.get(key))) ?? undefined,
    set: async (key, value, ttlSeconds) => {
      await connection.run((client) => client.set(key, value, 'EX', ttlSeconds));
    },
    delete: async (key) => {
      await connection.run((client) => client.del(key));
    },
  };
}
