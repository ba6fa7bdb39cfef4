export { createRedisLimiter, type RedisLimiter, type RedisLimiterOptions } from './limiter.ts';
