import { afterAll, beforeAll } from 'vitest';
import { type RedisServer, startRedis } from '../../kit/redis.ts';
import { describeCache } from '../suites/cache.ts';

let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis();
});

afterAll(() => redis[Symbol.asyncDispose]());

describeCache('Redis', () => ({ REDIS_URL: redis.url }));
