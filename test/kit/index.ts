import type { Result } from '@gatehouse/crds';

export { type GoldenCase, goldenCases } from './golden.ts';
export { hasRedis, type RedisServer, startRedis } from './redis.ts';

/** The value of a result that must be good; a bad one fails the test with its error. */
export function unwrap<T, E>(result: Result<T, E>): T {
  if (result.ok) return result.value;
  throw new Error(`expected a value, got the error ${JSON.stringify(result.error)}`);
}
