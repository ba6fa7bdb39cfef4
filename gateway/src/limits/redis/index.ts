export { createRedisLimiter, type RedisLimiter, type RedisLimiterOptions } from './limiter.ts';
export { LIMIT_SCRIPTS } from './scripts.ts';
