/** A Redis with an append-only file that is killed and restarted while three gateway processes spend a budget. */
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlaneAccess, runKubectl, sharedControlPlane } from '../../cluster/index.ts';
import { apiKeyResource } from '../../kit/resources.ts';
import { type LimitedStage, startLimitedStage } from './limited-stage.ts';

const PODS = 3;
const LIMIT = 400;
const OK = 'mock';
const EXHAUSTED = 412;
/** The part of the budget that an answer of Redis promised and that did not arrive is free again after its lease of 30 s. */
const SPENT_MS = 180_000;

let cluster: ControlPlaneAccess;
let given: LimitedStage;
beforeAll(async () => {
  cluster = sharedControlPlane();
  given = await startLimitedStage(cluster, PODS, {
    redis: { settings: { appendonly: 'yes' } },
    variables: { GATEHOUSE_STORE_FAILURE_POLICY: 'closed' },
  });
});
afterAll(() => given[Symbol.asyncDispose]());

test('a budget of requests that is spent meanwhile admits as many as it has, and the status counts them', async () => {
  const { pods, redis, stage } = given;
  const usageLimits = [{ name: 'main', type: 'requests', creditLimit: String(LIMIT) }];
  const statuses = new Map<string | number, number>();
  const countOf = (status: string | number): number => statuses.get(status) ?? 0;
  const key = 'gwk_of_restarted';
  const asked = async (pod: (typeof pods)[number]): Promise<string | number> => {
    const status = await pod.ask(key);
    statuses.set(status, countOf(status) + 1);
    return status;
  };
  const object = apiKeyResource(stage.tenant, 'restarted', key);
  await given.kubectlApply({ ...object, spec: { ...object.spec, usageLimits } });
  let isRunning = true;
  const load = pods.map(async (pod) => {
    while (isRunning) await asked(pod);
  });
  await waitFor(() => countOf(OK) > LIMIT / 10, { what: 'the first tenth' });
  await redis.stop();
  await waitFor(() => countOf(503) > 0, { what: 'the end of a slice while Redis is away', deadlineMs: SPENT_MS });
  expect(countOf(OK)).toBeLessThan(LIMIT);
  await redis.start();
  await waitFor(() => countOf(OK) >= LIMIT, { what: 'the whole budget', deadlineMs: SPENT_MS });
  await waitFor(() => countOf(EXHAUSTED) > PODS, { what: 'the end of the budget' });
  isRunning = false;
  await Promise.all(load);
  // A pod that has asked Redis while it was away does not ask again at once.
  for (const [at, pod] of pods.entries()) {
    await waitFor(async () => (await asked(pod)) === EXHAUSTED, { what: `the end of the budget in pod ${at}` });
  }
  expect(countOf(OK)).toBe(LIMIT);
  const used = ['get', 'apikeys', 'restarted', '-n', stage.tenant, '-o', 'jsonpath={.status.usage[0].used}'];
  await waitFor(async () => (await runKubectl(cluster, used)).trim() === String(LIMIT), {
    what: 'the sum of all answers in the status',
  });
});
