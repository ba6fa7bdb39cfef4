export { CIRCUIT_SCRIPTS, createRedisCircuitStore } from './circuit-store.ts';
export {
  createRedisConnection,
  type RedisClient,
  type RedisConnection,
  type RedisHealth,
  type RedisNode,
  type RedisSettings,
} from './connection.ts';
export { probeRedis } from './probe.ts';
export { defineScript, type RedisScript, type RunOptions, runScript, type ScriptInput } from './script.ts';
export { createRedisStateStore } from './state-store.ts';
export { followStoreId, type StoreId } from './store-id.ts';
export { parseRedisUrl } from './url.ts';
