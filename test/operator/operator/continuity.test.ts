/** What keeps serving when a fleet is broken or suspended, or when the leader dies. */

import { isObject } from '@gatehouse/crds';
import { createMockProvider, type MockProvider } from '@gatehouse/standalone/mock-provider';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { apiKeyResource, mockConfigResource, mockSecretResource } from '../../kit/resources.ts';
import {
  apply,
  becomes,
  endLease,
  fleetOf,
  type KubeThing,
  ours,
  read,
  runPods,
  type Stage,
  setStage,
  startOperator,
} from './support.ts';

const KEY = 'gwk_a_key_of_the_continuity_tests';
/** Passes the API server and not the operator. */
const BROKEN = {
  listeners: [
    { name: 'http', port: 8787 },
    { name: 'second', port: 8790 },
  ],
};
const READY = { type: 'Ready', status: 'True' };

let cluster: ControlPlaneAccess;
let mock: MockProvider;
beforeAll(async () => {
  cluster = sharedControlPlane();
  mock = await createMockProvider();
});
afterAll(async () => {
  await mock.close();
  await cluster[Symbol.asyncDispose]();
});

const configOf = ({ tenant }: Stage, model: string): KubeThing =>
  mockConfigResource(tenant, { upstream: mock.url, overrideParams: { model } });

const keyOf = ({ tenant }: Stage): KubeThing => apiKeyResource(tenant, 'app', KEY);

async function furnish(stage: Stage): Promise<void> {
  await apply(cluster, mockSecretResource(stage.tenant));
  await apply(cluster, configOf(stage, 'one'));
  await apply(cluster, keyOf(stage));
}

async function deploymentOf({ fleets }: Stage): Promise<{ readonly replicas?: unknown }> {
  const metadata = { namespace: fleets, name: 'main-gateway' };
  const deployment = await read(cluster, { apiVersion: 'apps/v1', kind: 'Deployment', metadata });
  return isObject(deployment?.spec) ? deployment.spec : {};
}

describe('a fleet', () => {
  test('that was broken while no operator ran is published to all the same', async () => {
    await using stage = await setStage(cluster);
    await furnish(stage);
    const before = await startOperator(stage.setup);
    const [pod] = await runPods(stage);
    await using _pod = pod;
    await becomes(cluster, configOf(stage, 'one'), READY);
    await before.kill();
    await endLease(stage);

    await apply(cluster, fleetOf(stage.fleets, { replicas: 1, ...BROKEN }));
    await using _after = await startOperator(stage.setup);
    await becomes(cluster, fleetOf(stage.fleets, {}), { type: 'Accepted', status: 'False' });
    await apply(cluster, configOf(stage, 'two'));
    await waitFor(async () => (await pod?.ask(KEY)) === 'two', { what: 'an edit beside the broken fleet' });
    await becomes(cluster, configOf(stage, 'two'), READY);

    await apply(cluster, fleetOf(stage.fleets, { replicas: 1 }));
    await becomes(cluster, fleetOf(stage.fleets, {}), READY);
  });

  test('that is suspended serves what it has, and catches up afterwards', async () => {
    await using stage = await setStage(cluster);
    await furnish(stage);
    await using _operator = await startOperator(stage.setup);
    const [pod] = await runPods(stage);
    await using _pod = pod;
    for (const object of [configOf(stage, 'one'), fleetOf(stage.fleets, {})]) await becomes(cluster, object, READY);

    await apply(cluster, fleetOf(stage.fleets, { replicas: 2, suspend: true }));
    const { message } = await becomes(cluster, fleetOf(stage.fleets, {}), READY);
    expect(message).toContain('suspended');
    await apply(cluster, configOf(stage, 'two'));
    // Said after a second: by then everything that could have been published would have been.
    const waiting = await becomes(cluster, configOf(stage, 'two'), { type: 'Programmed', reason: 'Pending' });
    expect(waiting.message).toContain(`${stage.fleets}/main is suspended`);
    expect(await pod?.ask(KEY)).toBe('one');
    expect(await deploymentOf(stage)).toMatchObject({ replicas: 1 });

    await apply(cluster, fleetOf(stage.fleets, { replicas: 2 }));
    await waitFor(async () => (await pod?.ask(KEY)) === 'two', { what: 'the edit' });
    await waitFor(async () => (await deploymentOf(stage)).replicas === 2, { what: 'another pod' });
    await becomes(cluster, configOf(stage, 'two'), READY);
  });
});

test('the death of the leader stops publishing for no longer than its lease, and changes no status', async () => {
  await using stage = await setStage(cluster);
  await furnish(stage);
  const start = (name: string) =>
    startOperator({ ...stage.setup, args: [...stage.setup.args, '--pod-name', name, '--pod-uid', 'uid'] });
  await using first = await start('first');
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: stage.organisation, name: 'gatehouse-operator' },
  };
  const leads = async (name: string): Promise<boolean> => {
    const spec = (await read(cluster, lease))?.spec;
    return isObject(spec) && spec['holderIdentity'] === `${name}_uid`;
  };
  await waitFor(() => leads('first'), { what: 'the first leader' });
  await using _second = await start('second');
  const [pod] = await runPods(stage);
  await using _pod = pod;
  for (const object of [keyOf(stage), configOf(stage, 'one')]) await becomes(cluster, object, READY);
  const workspace = ours('Workspace', { name: stage.tenant }, {});
  await becomes(cluster, workspace, READY);
  const fleetReady = await becomes(cluster, fleetOf(stage.fleets, {}), READY);
  const statuses = async () => [(await read(cluster, keyOf(stage)))?.status, (await read(cluster, workspace))?.status];
  const before = await statuses();
  const counted = async (): Promise<string> => {
    const status = (await read(cluster, fleetOf(stage.fleets, {})))?.status ?? {};
    return `${status['snapshotVersion']}: ${status['programmedReplicas']}`;
  };
  await waitFor(async () => (await counted()).endsWith(': 1'), { what: 'the count of the pod' });
  const [version] = (await counted()).split(':');
  const counts = new Set<string>();
  const user = { resource: 'apikeys', subresource: 'status', namespace: stage.tenant, verb: 'patch' };
  const writes = (await cluster.auditEvents(user)).length;

  await first.kill();
  await apply(cluster, configOf(stage, 'two'));
  expect(await pod?.ask(KEY)).toBe('one');
  const edited = async (): Promise<boolean> => {
    counts.add(await counted());
    return (await pod?.ask(KEY)) === 'two';
  };
  await waitFor(edited, { what: 'the edit' });
  expect(await leads('second')).toBe(true);
  const beforeTheEdit = [...counts].filter((count) => !count.startsWith(`${Number(version) + 1}:`));
  expect(beforeTheEdit).toEqual([`${version}: 1`]);
  await becomes(cluster, configOf(stage, 'two'), READY);
  // With the time of its last transition.
  expect(await becomes(cluster, fleetOf(stage.fleets, {}), READY)).toEqual(fleetReady);
  expect(await statuses()).toEqual(before);
  expect((await cluster.auditEvents(user)).length).toBe(writes);
});
