export type { Change } from './calls.ts';
export { tagOf } from './counters.ts';
export { createRedisLimiter, type RedisLimiter, type RedisLimiterOptions, type RedisReservation } from './limiter.ts';
