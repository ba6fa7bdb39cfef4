import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Acknowledged, FleetObject } from '../../../operator/src/kinds/gateway-fleet/index.ts';
import { FLEETS } from '../../../operator/src/kinds/gateway-fleet/index.ts';
import {
  AUTOSCALERS,
  DEPLOYMENTS,
  DISRUPTION_BUDGETS,
  NETWORK_POLICIES,
  ROLE_BINDINGS,
  SERVICE_ACCOUNTS,
  SERVICES,
} from '../../../operator/src/kinds/gateway-fleet/kube-kinds.ts';
import {
  conditionOf,
  hasReason,
  type KindRef,
  type KubeClient,
  type KubeObject,
} from '../../../operator/src/runtime/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { connectClient, SECRETS } from '../runtime/support.ts';
import { comesToRest, fleet, makePodsReady, restrictedClient, startFleetOperator } from './support.ts';

let cluster: ControlPlaneAccess;
let client: KubeClient;
const signal = AbortSignal.timeout(600_000);
beforeAll(async () => {
  cluster = sharedControlPlane();
  client = await connectClient(cluster);
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const ALWAYS = [SERVICE_ACCOUNTS, ROLE_BINDINGS, NETWORK_POLICIES, DISRUPTION_BUDGETS, SERVICES, DEPLOYMENTS] as const;
const child = (namespace: string) => ({ namespace, name: 'f-gateway' });
const admin = (namespace: string) => ({ namespace, name: 'f-admin' });
const readFleet = (namespace: string): Promise<FleetObject> => client.get(FLEETS, { namespace, name: 'f' }, { signal });
const deploymentOf = (namespace: string) => client.get(DEPLOYMENTS, child(namespace), { signal });
const create = (namespace: string, spec: object = {}) => client.create(FLEETS, fleet(namespace, 'f', spec), { signal });
const edit = (namespace: string, patch: object) =>
  client.mergePatch(FLEETS, { namespace, name: 'f' }, patch, { signal });
const editSpec = (namespace: string, spec: object) => edit(namespace, { spec });

async function exists(kind: KindRef, name: { namespace: string; name: string }): Promise<boolean> {
  try {
    await client.get(kind, name, { signal });
    return true;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return false;
    throw error;
  }
}

async function isReady(namespace: string): Promise<boolean> {
  const { metadata, status } = await readFleet(namespace);
  const ready = conditionOf(await readFleet(namespace), 'Ready')?.status === 'True';
  return ready && status?.['observedGeneration'] === metadata.generation;
}

async function reasonOf(namespace: string, type: string): Promise<string | undefined> {
  const condition = conditionOf(await readFleet(namespace), type);
  return condition === undefined ? undefined : `${condition.status} ${condition.reason}`;
}

const allRun = (version: number, programmed: number): Acknowledged => ({
  epoch: 0,
  version,
  programmed,
  lagging: [],
});

describe('a fleet', () => {
  test('becomes its children and ready with the rights of its controller alone, and comes to rest', async () => {
    const namespace = await cluster.createNamespace({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    await using restricted = await restrictedClient(cluster, namespace);
    let acknowledged: Acknowledged | undefined;
    await using operator = await startFleetOperator({
      client: restricted,
      namespace,
      acknowledged: () => acknowledged,
    });
    await create(namespace, { replicas: 3 });
    await waitFor(async () => (await reasonOf(namespace, 'Programmed')) === 'Unknown NoReadyPods');
    for (const kind of ALWAYS) expect(await exists(kind, child(namespace)), kind.kind).toBe(true);
    expect(await exists(AUTOSCALERS, child(namespace))).toBe(false);

    await makePodsReady(client, namespace, 3);
    await waitFor(async () => (await readFleet(namespace)).status?.['readyReplicas'] === 3);
    expect(await isReady(namespace)).toBe(false); // nothing is published
    acknowledged = { epoch: 0, version: 42, programmed: 2, lagging: [{ name: 'p', reason: 'Pending' }] };
    operator.enqueue('f');
    await waitFor(async () => (await readFleet(namespace)).status?.['programmedReplicas'] === 2);
    expect(await isReady(namespace)).toBe(false);
    acknowledged = allRun(42, 3);
    operator.enqueue('f');
    await waitFor(() => isReady(namespace));
    const { status, metadata } = await readFleet(namespace);
    expect(status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      programmedReplicas: 3,
      live: '3/3',
      snapshotEpoch: 0,
      snapshotVersion: 42,
    });
    expect(status).not.toHaveProperty('lagging');

    const { generation } = (await deploymentOf(namespace)).metadata;
    await comesToRest(client, namespace, operator);
    expect((await deploymentOf(namespace)).metadata.generation).toBe(generation);
    expect((await readFleet(namespace)).metadata.generation).toBe(metadata.generation);
    expect(operator.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('stays programmed while pods load a later version, and says when one refuses it', async () => {
    const namespace = await cluster.createNamespace();
    let acknowledged = allRun(1, 2);
    await using operator = await startFleetOperator({ client, namespace, acknowledged: () => acknowledged });
    await create(namespace);
    await makePodsReady(client, namespace, 2);
    const wasReady = () => conditionOf(operator.known('f') ?? fleet(namespace, 'f'), 'Ready')?.status === 'True';
    await waitFor(wasReady, { what: 'a fleet that is known to be ready' });
    acknowledged = { epoch: 0, version: 2, programmed: 1, lagging: [{ name: 'p', version: 1, reason: 'Pending' }] };
    operator.enqueue('f');
    await waitFor(async () => (await readFleet(namespace)).status?.['snapshotVersion'] === 2);
    expect(await isReady(namespace)).toBe(true);
    acknowledged = { epoch: 0, version: 2, programmed: 1, lagging: [{ name: 'p', version: 1, reason: 'Rejected' }] };
    operator.enqueue('f');
    await waitFor(async () => (await reasonOf(namespace, 'Programmed')) === 'False Rejected');
    acknowledged = allRun(3, 2);
    operator.enqueue('f');
    await waitFor(() => isReady(namespace));
  });

  test('restores its children when they were changed or deleted', async () => {
    const namespace = await cluster.createNamespace();
    await using _operator = await startFleetOperator({ client, namespace });
    await create(namespace, { replicas: 2 });
    await waitFor(() => exists(DEPLOYMENTS, child(namespace)));
    const theirs = { spec: { replicas: 9, template: { spec: { terminationGracePeriodSeconds: 1 } } } };
    await client.mergePatch(DEPLOYMENTS, child(namespace), theirs, { signal, fieldManager: 'kubectl-edit' });
    // The number of pods and the rest are two writes.
    const isRestored = async (): Promise<boolean> => {
      const { spec } = await deploymentOf(namespace);
      return spec?.replicas === 2 && JSON.stringify(spec).includes('"terminationGracePeriodSeconds":310');
    };
    await waitFor(isRestored, { what: 'a restored Deployment' });
    for (const kind of [SERVICES, NETWORK_POLICIES, ROLE_BINDINGS]) {
      await client.delete(kind, child(namespace), { signal });
      await waitFor(() => exists(kind, child(namespace)), { what: kind.kind });
    }
  });

  test('has a token of its own that is made once', async () => {
    const namespace = await cluster.createNamespace();
    await using _operator = await startFleetOperator({ client, namespace });
    await create(namespace);
    await waitFor(() => exists(DEPLOYMENTS, child(namespace)));
    const tokenOf = async (): Promise<string | undefined> =>
      (await client.get(SECRETS, admin(namespace), { signal })).data?.['token'];
    const token = await tokenOf();
    expect(Buffer.from(token ?? '', 'base64').length).toBeGreaterThan(40);
    await editSpec(namespace, { logLevel: 'debug' });
    await waitFor(async () => JSON.stringify(await deploymentOf(namespace)).includes('"debug"'));
    expect(await tokenOf()).toBe(token);
    await client.mergePatch(SECRETS, admin(namespace), { data: { token: 'bmV3' } }, { signal });
    await edit(namespace, { metadata: { annotations: { 'gatehouse.dev/requestedAt': '1' } } });
    await waitFor(async () => (await readFleet(namespace)).status?.['lastHandledReconcileAt'] === '1');
    expect(await tokenOf()).toBe('bmV3');
    await client.mergePatch(SECRETS, admin(namespace), { data: { token: null } }, { signal });
    await waitFor(tokenOf);
    await client.delete(SECRETS, admin(namespace), { signal });
    await waitFor(async () => (await exists(SECRETS, admin(namespace))) && (await tokenOf()) !== token);
  });

  test('replaces what only a new object can change', async () => {
    const namespace = await cluster.createNamespace();
    const classOf = async (): Promise<unknown> =>
      (await client.get(SERVICES, child(namespace), { signal })).spec?.loadBalancerClass;
    await using _operator = await startFleetOperator({ client, namespace });
    await create(namespace, { service: { type: 'LoadBalancer', loadBalancerClass: 'example.com/a' } });
    await waitFor(async () => (await exists(SERVICES, child(namespace))) && (await classOf()) === 'example.com/a');
    await editSpec(namespace, { service: { loadBalancerClass: 'example.com/b' } });
    await waitFor(async () => (await classOf().catch(() => undefined)) === 'example.com/b');

    const binding = await client.get(ROLE_BINDINGS, child(namespace), { signal });
    await client.delete(ROLE_BINDINGS, child(namespace), { signal });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    const { uid: _, resourceVersion: __, ...metadata } = binding.metadata;
    await client.create(ROLE_BINDINGS, { ...binding, metadata, roleRef }, { signal }).catch((error: unknown) => {
      if (!hasReason(error, 'AlreadyExists')) throw error; // the operator was faster
    });
    await waitFor(async () => {
      const now = await client.get(ROLE_BINDINGS, child(namespace), { signal }).catch(() => undefined);
      return JSON.stringify(now?.roleRef ?? {}).includes('gatehouse-gateway');
    });
  });

  test.for([
    { kind: SERVICES, name: 'f-gateway', content: { spec: { ports: [{ port: 80 }] } } },
    { kind: SECRETS, name: 'f-admin', content: { data: { token: 'bWluZQ==' } } },
  ])('does not touch a $kind.kind that is not its own', async ({ kind, name, content }) => {
    const namespace = await cluster.createNamespace();
    const foreign = { apiVersion: 'v1', kind: kind.kind, metadata: { namespace, name }, ...content };
    await client.create<KubeObject>(kind, foreign, { signal });
    await using _operator = await startFleetOperator({ client, namespace });
    await create(namespace);
    await waitFor(async () => (await reasonOf(namespace, 'Programmed')) === 'Unknown Pending');
    expect((await client.get<KubeObject>(kind, foreign.metadata, { signal })).metadata.labels).toBeUndefined();
    expect(await exists(DEPLOYMENTS, child(namespace))).toBe(false);
    await client.delete(kind, foreign.metadata, { signal });
    await edit(namespace, { metadata: { annotations: { 'gatehouse.dev/requestedAt': '1' } } });
    await waitFor(() => exists(DEPLOYMENTS, child(namespace)));
  });
});

describe('the number of pods', () => {
  test('is handed to an autoscaler without a dip, kept by it, and taken back', async () => {
    const namespace = await cluster.createNamespace();
    await using operator = await startFleetOperator({ client, namespace });
    const managersOfReplicas = async (): Promise<string[]> => {
      const { metadata } = await deploymentOf(namespace);
      const { managedFields = [] } = metadata as { managedFields?: readonly { manager: string; fieldsV1: object }[] }; // beyond our type
      return managedFields
        .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('"f:spec":{"f:replicas":{}'))
        .map(({ manager }) => manager);
    };
    await create(namespace, { replicas: 5 });
    await waitFor(() => exists(DEPLOYMENTS, child(namespace)));
    await waitFor(() => operator.replicas.includes(5));
    await editSpec(namespace, { replicas: null, autoscaling: { minReplicas: 2, maxReplicas: 9 } });
    await waitFor(async () => (await managersOfReplicas()).join() === 'gatehouse-operator-scale');
    await waitFor(() => exists(AUTOSCALERS, child(namespace)));
    await editSpec(namespace, { logLevel: 'debug' });
    await waitFor(async () => JSON.stringify(await deploymentOf(namespace)).includes('"debug"'));
    expect(new Set(operator.replicas)).toEqual(new Set([5]));

    // What the autoscaler does, by the way it does it.
    const scaled = { spec: { replicas: 7 } };
    const asAutoscaler = { subresource: 'scale', fieldManager: 'kube-controller-manager', signal };
    await client.mergePatch(DEPLOYMENTS, child(namespace), scaled, asAutoscaler);
    await editSpec(namespace, { logLevel: 'warn' });
    await waitFor(async () => JSON.stringify(await deploymentOf(namespace)).includes('"warn"'));
    expect((await deploymentOf(namespace)).spec?.replicas).toBe(7);
    expect(await managersOfReplicas()).not.toContain('gatehouse-operator');

    await editSpec(namespace, { replicas: 4, autoscaling: null });
    await waitFor(async () => (await deploymentOf(namespace)).spec?.replicas === 4);
    await waitFor(async () => !(await exists(AUTOSCALERS, child(namespace))));
    await waitFor(() => operator.replicas.at(-1) === 4, { what: 'the watch' });
    expect(new Set(operator.replicas)).toEqual(new Set([5, 7, 4]));
  });

  test('starts at the least an autoscaler may choose', async () => {
    const namespace = await cluster.createNamespace();
    await using operator = await startFleetOperator({ client, namespace });
    await create(namespace, { autoscaling: { minReplicas: 3, maxReplicas: 9 } });
    await waitFor(() => exists(AUTOSCALERS, child(namespace)));
    await waitFor(() => operator.replicas.length > 0);
    expect(new Set(operator.replicas)).toEqual(new Set([3]));
  });

  test('may be none', async () => {
    const namespace = await cluster.createNamespace();
    await using _operator = await startFleetOperator({ client, namespace });
    await create(namespace, { replicas: 0 });
    await waitFor(() => isReady(namespace));
  });
});

describe('a fleet with something wrong', () => {
  test('waits for the Secrets it refers to, and replaces its pods when they change', async () => {
    const namespace = await cluster.createNamespace();
    await using _operator = await startFleetOperator({ client, namespace });
    await create(namespace, { stores: { redis: { urlSecretRef: { name: 'redis', key: 'url' } } } });
    await waitFor(async () => (await reasonOf(namespace, 'ResolvedRefs')) === 'False RefNotFound');
    expect(await reasonOf(namespace, 'Stalled')).toBe('True RefNotFound');
    expect(await exists(DEPLOYMENTS, child(namespace))).toBe(false);
    const metadata = { namespace, name: 'redis' };
    await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata, data: { url: 'dXJs' } }, { signal });
    await waitFor(() => exists(DEPLOYMENTS, child(namespace)));
    const { generation } = (await deploymentOf(namespace)).metadata;
    await client.mergePatch(SECRETS, metadata, { data: { url: 'bmV3' } }, { signal });
    await waitFor(async () => ((await deploymentOf(namespace)).metadata.generation ?? 0) > (generation ?? 0));
  });

  test('says what this version does not serve', async () => {
    const namespace = await cluster.createNamespace();
    await using _operator = await startFleetOperator({ client, namespace });
    const listeners = [
      { name: 'http', port: 8787 },
      { name: 'second', port: 8790 },
    ];
    await create(namespace, { listeners });
    await waitFor(async () => (await reasonOf(namespace, 'Accepted')) === 'False UnsupportedValue');
    expect(await exists(DEPLOYMENTS, child(namespace))).toBe(false);
    await editSpec(namespace, { listeners: null });
    await waitFor(() => exists(DEPLOYMENTS, child(namespace)));
  });

  test('gets no pods in a namespace without an owner', async () => {
    const namespace = await cluster.createNamespace();
    await using _operator = await startFleetOperator({ client, namespace, settings: { fleetNamespaces: new Set() } });
    await create(namespace);
    await waitFor(async () => (await reasonOf(namespace, 'ResolvedRefs')) === 'False RefNotPermitted');
    expect(await exists(DEPLOYMENTS, child(namespace))).toBe(false);
    expect(await exists(ROLE_BINDINGS, child(namespace))).toBe(false);
  });

  test('says what keeps it from having pods', async () => {
    const namespace = await cluster.createNamespace();
    const quota = { metadata: { name: 'no-more-pods' }, spec: { hard: { pods: '0' } } };
    await cluster.request('POST', `/api/v1/namespaces/${namespace}/resourcequotas`, { body: quota });
    const podTroubles = () => ['ImagePullBackOff'];
    await using _operator = await startFleetOperator({ client, namespace, podTroubles });
    await create(namespace);
    for (const trouble of [quota.metadata.name, 'ImagePullBackOff']) {
      await waitFor(async () => {
        const { conditions = [] } = (await readFleet(namespace)).status ?? {};
        return JSON.stringify(conditions).includes(trouble);
      });
    }
    expect(await reasonOf(namespace, 'Programmed')).toBe('Unknown NoReadyPods');
  });

  test('is left alone while it is suspended, as ready as it was, and still counted', async () => {
    const namespace = await cluster.createNamespace();
    let acknowledged = allRun(8, 2);
    await using operator = await startFleetOperator({ client, namespace, acknowledged: () => acknowledged });
    await create(namespace, { replicas: 2 });
    await makePodsReady(client, namespace, 2);
    await waitFor(() => isReady(namespace));
    const annotations = { 'gatehouse.dev/requestedAt': 'suspended' };
    await edit(namespace, { metadata: { annotations }, spec: { suspend: true, replicas: 5 } });
    await waitFor(async () => (await readFleet(namespace)).status?.['observedGeneration'] === 2);
    expect(await isReady(namespace)).toBe(true);
    expect((await readFleet(namespace)).status).not.toHaveProperty('lastHandledReconcileAt');
    await client.mergePatch(DEPLOYMENTS, child(namespace), { spec: { replicas: 1 } }, { signal });
    acknowledged = allRun(9, 1);
    await waitFor(async () => {
      operator.enqueue('f');
      return (await readFleet(namespace)).status?.['snapshotVersion'] === 9;
    });
    expect((await deploymentOf(namespace)).spec?.replicas).toBe(1);
    await editSpec(namespace, { suspend: false });
    await waitFor(async () => (await deploymentOf(namespace)).spec?.replicas === 5);
    await waitFor(async () => (await readFleet(namespace)).status?.['lastHandledReconcileAt'] === 'suspended');
  });
});

describe('the end of a fleet', () => {
  test('goes with everything it was made of', async () => {
    const namespace = await cluster.createNamespace();
    await using _operator = await startFleetOperator({ client, namespace });
    await create(namespace, { autoscaling: { maxReplicas: 3 } });
    await waitFor(() => exists(AUTOSCALERS, child(namespace)));
    await client.delete(FLEETS, { namespace, name: 'f' }, { signal });
    const all: readonly [KindRef, { namespace: string; name: string }][] = [
      ...[...ALWAYS, AUTOSCALERS].map((kind): [KindRef, ReturnType<typeof child>] => [kind, child(namespace)]),
      [SECRETS, admin(namespace)],
    ];
    for (const [kind, name] of all) {
      await waitFor(async () => !(await exists(kind, name)), { what: `no ${kind.kind}` });
    }
  });

  test('that comes back under its old name gets new children', async () => {
    const namespace = await cluster.createNamespace();
    await using _operator = await startFleetOperator({ client, namespace });
    await create(namespace);
    await waitFor(() => exists(DEPLOYMENTS, child(namespace)));
    await client.delete(FLEETS, { namespace, name: 'f' }, { signal });
    const { metadata } = await create(namespace);
    await waitFor(async () => {
      const deployment = await deploymentOf(namespace).catch(() => undefined);
      return deployment?.metadata.ownerReferences?.[0]?.uid === metadata.uid;
    });
  });
});
