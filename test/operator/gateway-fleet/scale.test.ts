/** Scalers that set the number of pods through the scale subresource of a fleet. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FLEETS } from '../../../operator/src/kinds/gateway-fleet/index.ts';
import { AUTOSCALERS, DEPLOYMENTS } from '../../../operator/src/kinds/gateway-fleet/kube-kinds.ts';
import type { KubeClient, KubeObject } from '../../../operator/src/runtime/index.ts';
import { type ControlPlaneAccess, runKubectl, sharedControlPlane } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { connectClient } from '../runtime/support.ts';
import { comesToRest, fleet, PODS, startFleetOperator } from './support.ts';

let cluster: ControlPlaneAccess;
let client: KubeClient;
const signal = AbortSignal.timeout(300_000);
beforeAll(async () => {
  cluster = sharedControlPlane();
  client = await connectClient(cluster);
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const create = (namespace: string, spec: object = {}) => client.create(FLEETS, fleet(namespace, 'f', spec), { signal });
const child = (namespace: string) => ({ namespace, name: 'f-gateway' });
const replicasOf = async (namespace: string): Promise<number | undefined> =>
  (await client.get(DEPLOYMENTS, child(namespace), { signal }).catch(() => undefined))?.spec?.replicas;
const becomes = (namespace: string, replicas: number) =>
  waitFor(async () => (await replicasOf(namespace)) === replicas, { what: `${replicas} pods` });
const applyFleet = (namespace: string, spec: object) =>
  runKubectl(cluster, ['apply', '-f', '-'], { input: JSON.stringify(fleet(namespace, 'f', spec)) });

describe('a fleet that others scale', () => {
  test('has as many pods as kubectl scale says, also after its file is applied again', async () => {
    const namespace = await cluster.createNamespace();
    await using operator = await startFleetOperator({ client, namespace });
    await applyFleet(namespace, { logLevel: 'info' });
    await becomes(namespace, 2);
    const scale = (replicas: number) =>
      runKubectl(cluster, ['scale', 'gatewayfleet/f', '-n', namespace, `--replicas=${replicas}`]);
    await scale(5);
    await becomes(namespace, 5);
    await applyFleet(namespace, { logLevel: 'debug' });
    await waitFor(async () =>
      JSON.stringify(await client.get(DEPLOYMENTS, child(namespace), { signal })).includes('"debug"'),
    );
    expect(await replicasOf(namespace)).toBe(5);
    await scale(0);
    await becomes(namespace, 0);
    await waitFor(() => operator.replicas.at(-1) === 0, { what: 'the watch' });
    expect(operator.replicas).toEqual([2, 5, 0]);
  });

  test('shows scalers its pods: how many there are, and by which labels', async () => {
    const namespace = await cluster.createNamespace();
    await using _operator = await startFleetOperator({ client, namespace });
    await create(namespace, { replicas: 3 });
    const path = `/apis/gatehouse.dev/v1alpha1/namespaces/${namespace}/gatewayfleets/f/scale`;
    const scale = await waitFor(
      async () => {
        const { body } = await cluster.request('GET', path);
        const { spec, status } = body as { spec: object; status: { replicas: number; selector?: string } }; // of a Scale
        return status.replicas === 3 ? { spec, status } : undefined;
      },
      { what: 'a scale with three pods' },
    );
    expect(scale.spec).toEqual({ replicas: 3 });
    const { items } = await client.list(PODS, { namespace, labelSelector: scale.status.selector ?? '', signal });
    expect(items).toHaveLength(3);
  });

  test('follows a HorizontalPodAutoscaler of somebody else, and does not fight it', async () => {
    const namespace = await cluster.createNamespace();
    await using operator = await startFleetOperator({ client, namespace });
    await create(namespace);
    await becomes(namespace, 2);
    const foreign = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { namespace, name: 'mine' },
      spec: {
        scaleTargetRef: { apiVersion: 'gatehouse.dev/v1alpha1', kind: 'GatewayFleet', name: 'f' },
        minReplicas: 4,
        maxReplicas: 6,
      },
    };
    await client.create<KubeObject>(AUTOSCALERS, foreign, { signal });
    await becomes(namespace, 4);
    await client.mergePatch(FLEETS, { namespace, name: 'f' }, { spec: { logLevel: 'debug' } }, { signal });
    await waitFor(async () =>
      JSON.stringify(await client.get(DEPLOYMENTS, child(namespace), { signal })).includes('"debug"'),
    );
    await waitFor(() => operator.replicas.at(-1) === 4, { what: 'the watch' });
    expect(operator.replicas).toEqual([2, 4]);
    const { items } = await client.list(AUTOSCALERS, { namespace, signal });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['mine']);
  });

  test('is not scaled by hand while it has an autoscaler of its own', async () => {
    const namespace = await cluster.createNamespace();
    await create(namespace, { autoscaling: { maxReplicas: 9 } });
    const outcome = await cluster.kubectl(['scale', 'gatewayfleet/f', '-n', namespace, '--replicas=5']);
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('exclude each other') });
  });
});

test('the autoscaler of a fleet asks for requests in flight and open streams of its pods', async () => {
  const namespace = await cluster.createNamespace();
  await using operator = await startFleetOperator({ client, namespace });
  const autoscaling = { maxReplicas: 9, targetRequestsInFlight: 100_000, targetOpenStreams: 200 };
  await create(namespace, { autoscaling });
  const made = await waitFor(() => client.get(AUTOSCALERS, child(namespace), { signal }).catch(() => undefined));
  const pods = (name: string, averageValue: string) => ({
    type: 'Pods',
    pods: { metric: { name }, target: { type: 'AverageValue', averageValue } },
  });
  expect(made).toMatchObject({
    spec: {
      metrics: [
        { type: 'Resource' },
        pods('gatehouse_requests_in_flight', '100k'),
        pods('gatehouse_open_streams', '200'),
      ],
    },
  });
  await comesToRest(client, namespace, operator);
  expect(operator.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});
