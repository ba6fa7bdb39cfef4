export { CIRCUIT_TTL_SECONDS, type CircuitRecord, type CircuitStore, circuitKey } from './circuit.ts';
export { createMemoryCircuitStore, createMemoryStateStore, type MemoryOptions } from './memory/index.ts';
export {
  createDatabase,
  type Database,
  type OpenDatabase,
  type OpenDialect,
  postgresDialect,
} from './postgres/index.ts';
export {
  CIRCUIT_SCRIPTS,
  createRedisCircuitStore,
  createRedisConnection,
  createRedisStateStore,
  defineScript,
  followStoreId,
  parseRedisUrl,
  probeRedis,
  type RedisClient,
  type RedisConnection,
  type RedisHealth,
  type RedisNode,
  type RedisScript,
  type RedisSettings,
  type RunOptions,
  runScript,
  type ScriptInput,
} from './redis/index.ts';
export { createRowMarks, type RowClaim, type RowMarkOptions, type RowMarks } from './row-marks.ts';
export type { StateStore } from './state.ts';
export { createStickySessions, type StickyOptions, type StickySessions } from './sticky.ts';
export { createStoreBreaker, type StoreBreaker, type StoreBreakerOptions } from './store-breaker.ts';
export { StoreUnavailable, type UnavailableReason } from './unavailable.ts';
