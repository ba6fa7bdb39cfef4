import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildArchives, buildRedisArchive, REDIS_IMAGE } from '../../../images/index.ts';
import { FLEETS } from '../../../operator/src/kinds/gateway-fleet/index.ts';
import { DEPLOYMENTS, SERVICES } from '../../../operator/src/kinds/gateway-fleet/kube-kinds.ts';
import { createPublisher } from '../../../operator/src/publish/index.ts';
import {
  conditionOf,
  hasReason,
  type KindRef,
  type KubeClient,
  type KubeObject,
} from '../../../operator/src/runtime/index.ts';
import {
  type ControlPlaneAccess,
  type NodesAccess,
  sharedControlPlane,
  sharedNodes,
  withoutNodes,
} from '../../cluster/index.ts';
import { KEY, key, organisation, snapshot, workspace } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { connectClient, recordLog, SECRETS } from '../runtime/support.ts';
import { fleet, PODS, startFleetOperator } from './support.ts';

const CLUSTER_ROLES: KindRef<KubeObject> = {
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRole', plural: 'clusterroles' },
  namespaced: false,
};

/** As OpenShift does it: any user, the group of root, and a group of the volumes. */
const PLATFORM_USER = { runAsUser: 1_000_660_000, runAsGroup: 0, fsGroup: 1_000_660_000 };

interface Pod extends KubeObject {
  readonly status?: {
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}
const RUNNING: KindRef<Pod> = PODS;

describe.skipIf(withoutNodes() !== undefined)('the pods of a fleet', () => {
  let cluster: ControlPlaneAccess;
  let nodes: NodesAccess;
  let client: KubeClient;
  let image: string;
  const signal = AbortSignal.timeout(600_000);

  beforeAll(async () => {
    cluster = sharedControlPlane();
    nodes = sharedNodes(cluster);
    client = await connectClient(cluster);
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-archives-'));
    try {
      const [archive] = await buildArchives({ folder, images: ['gateway'], tag: 'fleet-test' });
      await nodes.importImage(archive?.path ?? '');
      await nodes.importImage(await buildRedisArchive(folder));
      image = archive?.reference ?? '';
    } finally {
      await rm(folder, { recursive: true });
    }
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  /** The role that the chart installs. */
  async function installGatewayRole(): Promise<void> {
    const rules = [
      { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['watch'] },
    ];
    const role = {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' },
      metadata: { name: 'gatehouse-gateway' },
      rules,
    };
    await client.create<KubeObject>(CLUSTER_ROLES, role, { signal }).catch((error: unknown) => {
      if (!hasReason(error, 'AlreadyExists')) throw error;
    });
  }

  /** A Redis in the namespace, and the Secret with its address. */
  async function startRedis(namespace: string): Promise<void> {
    const securityContext = {
      ...{ runAsNonRoot: true, allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      ...{ capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
    };
    const readinessProbe = { tcpSocket: { port: 6379 }, periodSeconds: 1 };
    const pod = {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name: 'redis', labels: { app: 'redis' } } },
      spec: { containers: [{ name: 'redis', image: REDIS_IMAGE, readinessProbe, securityContext }] },
    };
    const service = {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { namespace, name: 'redis' } },
      spec: { selector: { app: 'redis' }, ports: [{ port: 6379 }] },
    };
    const data = { url: Buffer.from(`redis://redis.${namespace}.svc:6379`).toString('base64') };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'redis' }, data };
    await client.create<KubeObject>(PODS, pod, { signal });
    await client.create<KubeObject>(SERVICES, service, { signal });
    await client.create(SECRETS, secret, { signal });
  }

  /** Whether a pod of the fleet becomes ready as another user than that of the image. */
  async function runsAs(user: object, namespace: string): Promise<void> {
    const deployment = await client.get(DEPLOYMENTS, { namespace, name: 'f-gateway' }, { signal });
    const { template } = deployment.spec as { template: { metadata: object; spec: { securityContext: object } } }; // beyond our type
    const name = { namespace, name: 'somebody' };
    const securityContext = { ...template.spec.securityContext, ...user };
    const pod = {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { ...template.metadata, ...name } },
      spec: { ...template.spec, securityContext },
    };
    await client.create<KubeObject>(PODS, pod, { signal });
    const hasStarted = async (): Promise<boolean> => {
      const { conditions = [] } = (await client.get(RUNNING, name, { signal })).status ?? {};
      return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
    };
    await waitFor(hasStarted, { what: 'a ready pod of another user' });
    await client.delete(PODS, name, { signal });
  }

  test('start from our images, load what is published, serve behind the Service and end in good order', async () => {
    const namespace = await cluster.createNamespace({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    await installGatewayRole();
    await startRedis(namespace);
    let version: number | undefined;
    await using operator = await startFleetOperator({
      ...{ client, namespace, settings: { image } },
      acknowledged: () => (version === undefined ? undefined : { epoch: 0, version, programmed: 2, lagging: [] }),
    });
    const stores = { redis: { urlSecretRef: { name: 'redis', key: 'url' } } };
    const spec = { replicas: 2, stores, drainDelaySeconds: 10, drainTimeoutSeconds: 5 };
    const { metadata } = await client.create(FLEETS, fleet(namespace, 'f', spec), { signal });
    const publisher = createPublisher({
      ...{ client, log: recordLog(), identity: 'test' },
      fleet: { namespace, name: 'f', uid: metadata.uid ?? '' },
    });
    ({ version } = await publisher.publish(snapshot(organisation(), workspace(), key()), { signal }));
    operator.enqueue('f');
    const isReady = async (): Promise<boolean> =>
      conditionOf(await client.get(FLEETS, { namespace, name: 'f' }, { signal }), 'Ready')?.status === 'True';
    await waitFor(isReady, { what: 'a ready fleet' });

    const service = await client.get(SERVICES, { namespace, name: 'f-gateway' }, { signal });
    const { clusterIP } = service.spec as { clusterIP?: string }; // beyond our type
    const statusOf = async (path: string, headers: Record<string, string> = {}): Promise<number> => {
      const { statusCode, body } = await request(`http://${clusterIP}:8787${path}`, { headers, reset: true });
      await body.dump();
      return statusCode;
    };
    await waitFor(async () => (await statusOf('/v1/health').catch(() => 0)) === 200, { what: 'the Service' });
    expect(await statusOf('/v1/chat/completions')).toBe(401);
    expect(await statusOf('/v1/models', { 'x-gw-api-key': KEY })).not.toBe(401);

    const { items } = await client.list(RUNNING, { namespace, signal, labelSelector: 'gatehouse.dev/fleet=f' });
    const [pod] = items;
    expect(items).toHaveLength(2);
    const { data = {} } = await client.get(SECRETS, { namespace, name: 'f-admin' }, { signal });
    const token = Buffer.from(data['token'] ?? '', 'base64').toString();
    const loaded = async (authorization: string) => {
      const answer = await request(`http://${pod?.status?.podIP}:8789/internal/snapshot`, {
        headers: { authorization },
      });
      return { status: answer.statusCode, body: await answer.body.json() };
    };
    expect(await loaded(`Bearer ${token}`)).toMatchObject({ status: 200, body: { version } });
    expect(await loaded('Bearer other')).toMatchObject({ status: 401 });
    expect(await nodes.exec(namespace, 'redis', ['redis-cli', 'ping'])).toMatchObject({ stdout: 'PONG\n' });

    await runsAs(PLATFORM_USER, namespace);

    const before = new Set(items.map((item) => item.metadata.name));
    await client.mergePatch(FLEETS, metadata, { spec: { logLevel: 'debug' } }, { signal });
    await waitFor(
      async () => {
        expect(await statusOf('/v1/health')).toBe(200);
        const now = await client.list(RUNNING, { namespace, signal, labelSelector: 'gatehouse.dev/fleet=f' });
        return now.items.length === 2 && now.items.every((item) => !before.has(item.metadata.name));
      },
      { what: 'new pods' },
    );
    await waitFor(isReady, { what: 'a ready fleet' });
    expect((await client.get(DEPLOYMENTS, { namespace, name: 'f-gateway' }, { signal })).status?.readyReplicas).toBe(2);
  });
});
