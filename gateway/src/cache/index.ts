export { type Assembler, createAssembler } from './assemble/index.ts';
export type { CacheStore } from './cache-store.ts';
export { type CacheCandidate, isCacheEligible } from './eligible.ts';
export { type CacheKeyParts, cacheKey } from './key.ts';
export { createMemoryCacheStore, type MemoryCacheOptions } from './memory/index.ts';
export { createPostgresVectors, type PostgresVectors, type VectorsState } from './postgres/index.ts';
export type { StreamProtocol } from './protocol.ts';
export { createRedisCacheStore, type RedisCacheOptions } from './redis/index.ts';
export { type ReplayOptions, replayAsStream } from './replay/index.ts';
export {
  type CacheLookup,
  createResponseCache,
  type ResponseCache,
  type ResponseCacheOptions,
} from './response-cache.ts';
export {
  chatPromptOf,
  completionPromptOf,
  createMemoryVectors,
  createSharedVectors,
  type SemanticPrompt,
  toUnit,
  VECTOR_SCRIPTS,
  type VectorStore,
} from './semantic/index.ts';
export type { CacheableAnswer } from './storable.ts';
export { cacheTtlSeconds } from './ttl.ts';
