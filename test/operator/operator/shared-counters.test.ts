/** What limits and budgets hold for, on gateway processes that share a Redis: told in statuses, and after a pod was killed. */
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { startRedis } from '../../kit/redis.ts';
import { type LimitedStage, startLimitedStage } from './limited-stage.ts';
import { apply, becomes, condition, fleetOf, ours, remove, runPods } from './support.ts';

const PODS = 3;
const OK = 'mock';
const PRECONDITION_FAILED = 412;
/** A lease lasts 30 s. */
const RETURNED_MS = 150_000;

let cluster: ControlPlaneAccess;
let given: LimitedStage;
beforeAll(async () => {
  cluster = sharedControlPlane();
  given = await startLimitedStage(cluster, PODS);
});
afterAll(() => given[Symbol.asyncDispose]());

test('a fleet says what its limits hold for, also while its Redis is away', async () => {
  const { stage, redis } = given;
  const fleet = fleetOf(stage.fleets, {});
  await becomes(cluster, fleet, { type: 'LimitsShared', status: 'True', reason: 'Shared' });
  await redis.stop();
  const away = await becomes(cluster, fleet, { type: 'LimitsShared', status: 'False', reason: 'StoreUnavailable' });
  expect(away.message).toContain('by itself');
  await redis.start();
  await becomes(cluster, fleet, { type: 'LimitsShared', status: 'True', reason: 'Shared' });
});

test('a Workspace names its fleets while these count in different places', async () => {
  const { stage } = given;
  const workspace = ours('Workspace', { name: stage.tenant }, {});
  const second = { ...fleetOf(stage.fleets, { replicas: 1 }), metadata: { name: 'second', namespace: stage.fleets } };
  await apply(cluster, second);
  await using elsewhere = await startRedis();
  const [pod] = await runPods({ ...stage, fleet: 'second' }, { variables: { REDIS_URL: elsewhere.url } });
  await using _pod = pod;
  const apart = await becomes(cluster, workspace, { type: 'LimitsShared', status: 'False', reason: 'StoresDiffer' });
  expect(apart.message).toContain(`${stage.fleets}/main, ${stage.fleets}/second`);
  await remove(cluster, second);
  const isGone = async () => (await condition(cluster, workspace, 'LimitsShared')) === undefined;
  await waitFor(isGone, { what: 'no condition once there is one fleet' });
});

test('what a killed pod had reserved of a budget comes back when its lease ends', async () => {
  const [first, second] = given.pods;
  if (first === undefined || second === undefined) throw new Error('there are too few pods');
  // Less than what a request may use at most, so that one reserves all that is left.
  const key = await given.servedKey('killed', { usageLimits: [{ name: 'main', type: 'tokens', creditLimit: '900' }] });
  const delayed = { 'x-mock-delay-ms': '600000', 'x-gw-forward-headers': 'x-mock-delay-ms' };
  // Refused as long as other pods hold a part of the budget from the requests that have shown the key to be served.
  const isOver = waitFor(async () => {
    const answer = await first.ask(key, delayed).catch(() => 'killed');
    return answer === PRECONDITION_FAILED ? undefined : answer;
  });
  const isDelayed = () => given.mock.requests.some(({ headers }) => headers['x-mock-delay-ms'] !== undefined);
  await waitFor(isDelayed, { what: 'the open request' });
  await waitFor(async () => (await second.ask(key)) === PRECONDITION_FAILED, { what: 'the end of what is left' });
  await first.gateway.kill();
  expect(await isOver).toBe('killed');
  await waitFor(async () => (await second.ask(key)) === OK, { what: 'the reservation', deadlineMs: RETURNED_MS });
});
