/** CACHE_STORE=redis without an address silently meant memory; the reference connects to redis:6379. */
import { expect, test } from 'vitest';
import { readEnvironment, toSettings } from '../../gateway/src/config/index.ts';

test('a Redis store without an address uses the default one', () => {
  expect(toSettings(readEnvironment({ CACHE_STORE: 'redis' }))).toMatchObject({
    cache: { store: 'redis' },
    redis: { nodes: [{ host: 'redis', port: 6379 }] },
  });
});
