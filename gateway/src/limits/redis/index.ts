export { createRedisLimiter, type RedisLimiter, type RedisLimiterOptions, type RedisReservation } from './limiter.ts';
