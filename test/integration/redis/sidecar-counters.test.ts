/** Sidecars of a fleet with several pods: docs/behaviour/sidecars.md#limits-and-budgets. */
import { expect, test } from 'vitest';
import { startRedis } from '../../kit/redis.ts';
import { FLEET_TLS, startSidecarWorld, statusesOf, type WorkspaceLimits } from '../../kit/sidecar-world.ts';

test('sidecars of two pods of a fleet count together in their Redis', async () => {
  const limits: WorkspaceLimits = {
    rateLimits: [{ type: 'requests', unit: 'rpd', value: 10 }],
    usageLimits: [{ name: 'main', type: 'tokens', limit: 1_000_000 }],
  };
  await using world = await startSidecarWorld();
  await using redis = await startRedis();
  // The wait is far above its default: the machines of tests are busy.
  const env = { ...FLEET_TLS, REDIS_URL: redis.url, GATEHOUSE_LIMITS_TIMEOUT_MS: '5000' };
  await using here = await world.startFleet(limits, { env });
  await using there = await world.startFleet(limits, { env });
  await using one = await world.startSidecar({ pod: 'web-0', url: here.url, limits });
  await using two = await world.startSidecar({ pod: 'web-1', url: there.url, limits });
  expect(await statusesOf([one, two], 10)).toEqual(
    new Map([
      [200, 10],
      [429, 10],
    ]),
  );
});
