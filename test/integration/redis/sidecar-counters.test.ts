/** Sidecars of a fleet with several pods: docs/behaviour/sidecars.md#limits-and-budgets. */
import { request } from 'node:https';
import { expect, test } from 'vitest';
import { send } from '../../kit/http.ts';
import { startRedis } from '../../kit/redis.ts';
import { FLEET_TLS, startSidecarWorld, statusesOf, type WorkspaceLimits } from '../../kit/sidecar-world.ts';
import { KEY } from '../../kit/snapshot.ts';
import { LOOPBACK_PEM } from '../../kit/tls.ts';
import { waitFor } from '../../kit/wait-for.ts';

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

test('a limit of N admits N over a sidecar and two pods of its fleet', async () => {
  const limits: WorkspaceLimits = { rateLimits: [{ type: 'requests', unit: 'rpw', value: 10 }] };
  await using world = await startSidecarWorld();
  await using redis = await startRedis();
  const env = { ...FLEET_TLS, REDIS_URL: redis.url, GATEHOUSE_LIMITS_TIMEOUT_MS: '5000' };
  await using here = await world.startFleet(limits, { env });
  await using there = await world.startFleet(limits, { env });
  await using sidecar = await world.startSidecar({ pod: 'web-0', url: here.url, limits });
  const pods = [here, there];
  const isShared = async ({ adminUrl }: (typeof pods)[number]): Promise<boolean> =>
    (await send(`${adminUrl}/internal/status`)).json().limits?.counted === 'shared';
  await waitFor(async () => (await Promise.all(pods.map(isShared))).every(Boolean), { what: 'one count' });
  const [beside, answers] = await Promise.all([
    statusesOf([sidecar], 8),
    Promise.all(pods.flatMap(({ url }) => Array.from({ length: 8 }, () => chat(url)))),
  ]);
  const counted = (wanted: number): number =>
    answers.filter((status) => status === wanted).length + (beside.get(wanted) ?? 0);
  expect([counted(200), counted(429)]).toEqual([10, 14]);
});

/** The status of a request over TLS. */
function chat(url: string): Promise<number> {
  const headers = { 'x-gw-api-key': KEY, 'content-type': 'application/json' };
  const body = { model: '@shared/mock-small', messages: [{ role: 'user', content: 'hi' }] };
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', ca: LOOPBACK_PEM, agent: false, headers };
    const asked = request(`${url}/v1/chat/completions`, options, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    asked.on('error', reject);
    asked.end(JSON.stringify(body));
  });
}
