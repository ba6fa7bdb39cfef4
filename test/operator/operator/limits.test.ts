/** Limits and budgets that are applied with kubectl, on three gateway processes that share a Redis. */
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlaneAccess, runKubectl, sharedControlPlane } from '../../cluster/index.ts';
import { apiKeyResource } from '../../kit/resources.ts';
import { type LimitedStage, startLimitedStage } from './limited-stage.ts';
import { ours, type PodProcess, type Stage } from './support.ts';

/** Ten times what is promised: other tests share the machine. */
const EFFECT_MS = 10_000;
const PODS = 3;
const TOO_MANY_REQUESTS = 429;
const PRECONDITION_FAILED = 412;

let given: LimitedStage;
let cluster: ControlPlaneAccess;
let stage: Stage;
let pods: readonly PodProcess[];
let kubectlApply: LimitedStage['kubectlApply'];
let servedKey: LimitedStage['servedKey'];

beforeAll(async () => {
  cluster = sharedControlPlane();
  given = await startLimitedStage(cluster, PODS);
  ({ stage, pods, kubectlApply, servedKey } = given);
});
afterAll(() => given[Symbol.asyncDispose]());

/** Waits until every pod refuses the key with the status. */
const refusedBy = (key: string, status: number): Promise<unknown> =>
  Promise.all(
    pods.map((pod) =>
      waitFor(async () => (await pod.ask(key)) === status, { what: `${status} of ${pod.pod}`, deadlineMs: EFFECT_MS }),
    ),
  );

describe('applied with kubectl, and in effect on three pods', () => {
  test('is a rate limit of a key', async () => {
    const key = await servedKey('rated');
    const object = apiKeyResource(stage.tenant, 'rated', key);
    await kubectlApply({
      ...object,
      spec: { ...object.spec, rateLimits: [{ type: 'requests', unit: 'rpd', value: 1 }] },
    });
    await refusedBy(key, TOO_MANY_REQUESTS);
  });

  test('is a policy', async () => {
    const key = await servedKey('by-policy');
    const spec = {
      ...{ type: 'requests', unit: 'rpd', value: 1 },
      ...{ conditions: [{ key: 'metadata.team', values: ['red'] }], groupBy: [{ key: 'api_key' }] },
    };
    await kubectlApply(ours('RateLimitPolicy', { name: 'red', namespace: stage.tenant }, spec));
    const team = { 'x-gw-metadata': JSON.stringify({ team: 'red' }) };
    for (const pod of pods) {
      const refuses = async (): Promise<boolean> => (await pod.ask(key, team)) === TOO_MANY_REQUESTS;
      await waitFor(refuses, { what: `the policy on ${pod.pod}`, deadlineMs: EFFECT_MS });
      expect(await pod.ask(key)).toBe('mock');
    }
  });

  test('is a budget, whose end kubectl shows', async () => {
    const key = await servedKey('spender');
    const object = apiKeyResource(stage.tenant, 'spender', key);
    const usageLimits = [{ name: 'main', type: 'tokens', creditLimit: '100' }];
    await kubectlApply({ ...object, spec: { ...object.spec, usageLimits } });
    const [first] = pods;
    await waitFor(async () => (await first?.ask(key)) === PRECONDITION_FAILED, { what: 'the end of the budget' });
    const columns = async (): Promise<readonly string[]> => {
      const printed = await runKubectl(cluster, ['get', 'apikeys', 'spender', '-n', stage.tenant]);
      return printed.trim().split('\n').at(-1)?.split(/\s+/) ?? [];
    };
    const shown = await waitFor(
      async () => {
        const row = await columns();
        return row.includes('100%') && row.includes('Succeeded') ? row : undefined;
      },
      { what: 'the end in the status' },
    );
    expect(shown).toEqual(['spender', 'True', 'Succeeded', 'workspace-service', '100%', 'True', expect.any(String)]);
  });
});
