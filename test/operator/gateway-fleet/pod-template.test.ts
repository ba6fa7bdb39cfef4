/** What people add to the pods and the Service of a fleet, as the API server takes it. */
import { LOOPBACK_PEM, RENEWED_PEM } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FLEETS } from '../../../operator/src/kinds/gateway-fleet/index.ts';
import { CONFIG_MAPS, DEPLOYMENTS, SERVICES } from '../../../operator/src/kinds/gateway-fleet/kube-kinds.ts';
import { conditionOf, type KubeClient, type KubeObject } from '../../../operator/src/runtime/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { connectClient, SECRETS } from '../runtime/support.ts';
import { comesToRest, fleet, restrictedClient, startFleetOperator } from './support.ts';

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

const child = (namespace: string) => ({ namespace, name: 'f-gateway' });
const create = (namespace: string, spec: object) => client.create(FLEETS, fleet(namespace, 'f', spec), { signal });
const edit = (namespace: string, patch: object) =>
  client.mergePatch(FLEETS, { namespace, name: 'f' }, patch, { signal });
const stalled = async (namespace: string) =>
  conditionOf(await client.get(FLEETS, { namespace, name: 'f' }, { signal }), 'Stalled');
const deploymentOf = (namespace: string) =>
  client.get<KubeObject>(DEPLOYMENTS, child(namespace), { signal }).catch(() => undefined);

const TERM = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'batch' } } };
const FULL = {
  pod: {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['gateways'] }] }],
        },
      },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ ...TERM, namespaces: ['batch'] }],
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, podAffinityTerm: TERM }],
      },
    },
    volumes: [
      { name: 'ca', configMap: { name: 'company-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { name: 'client', secret: { secretName: 'proxy-client' } },
      { name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
    ],
    volumeMounts: [
      { name: 'ca', mountPath: '/etc/company-ca' },
      { name: 'client', mountPath: '/etc/proxy-client/tls.key', subPath: 'tls.key' },
      { name: 'scratch', mountPath: '/tmp' },
    ],
  },
  service: {
    type: 'LoadBalancer',
    labels: { 'example.com/exposed': 'internal' },
    loadBalancerSourceRanges: ['10.0.0.0/8', '2001:db8::/32'],
  },
};

describe('a fleet of the organisation', () => {
  test('has affinity, volumes and admitted clients, and comes to rest', async () => {
    const namespace = await cluster.createNamespace({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    await using restricted = await restrictedClient(cluster, namespace);
    await using operator = await startFleetOperator({ client: restricted, namespace });
    await create(namespace, FULL);
    const missing = await waitFor(() => stalled(namespace), { what: 'what is missing' });
    expect(missing).toMatchObject({ reason: 'RefNotFound', message: expect.stringContaining('proxy-client') });
    const named = (name: string) => ({ namespace, name });
    const data = { 'tls.key': 'a2V5' };
    await client.create(
      SECRETS,
      { apiVersion: 'v1', kind: 'Secret', metadata: named('proxy-client'), data },
      { signal },
    );
    await waitFor(async () => JSON.stringify(await stalled(namespace)).includes('ConfigMap company-ca'));
    expect(await deploymentOf(namespace)).toBeUndefined();
    await client.create<KubeObject>(
      CONFIG_MAPS,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: named('company-ca'), ...{ data: { 'ca.crt': 'pem' } } },
      { signal },
    );
    const deployment = await waitFor(() => deploymentOf(namespace), { what: 'a Deployment' });
    expect(deployment).toMatchObject({
      spec: {
        template: {
          spec: {
            affinity: FULL.pod.affinity,
            volumes: expect.arrayContaining([
              expect.objectContaining({ name: 'ca' }),
              { name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
            ]),
            containers: [{ volumeMounts: expect.arrayContaining(FULL.pod.volumeMounts) }],
          },
        },
      },
    });
    const service = await client.get<KubeObject>(SERVICES, child(namespace), { signal });
    expect(service).toMatchObject({
      metadata: { labels: { 'example.com/exposed': 'internal', 'gatehouse.dev/fleet': 'f' } },
      spec: { loadBalancerSourceRanges: FULL.service.loadBalancerSourceRanges },
    });

    await comesToRest(client, namespace, operator);
    expect(operator.log.lines.filter(({ level }) => level === 'error')).toEqual([]);

    await edit(namespace, { spec: { pod: null, service: null } });
    await waitFor(async () => !JSON.stringify(await deploymentOf(namespace)).includes('company-ca'));
    await waitFor(async () => {
      const now = await client.get<KubeObject>(SERVICES, child(namespace), { signal });
      return !JSON.stringify(now).includes('"loadBalancerSourceRanges":[');
    });
  });

  test('keeps its pods when the certificate of its listener is renewed, and tells of one that cannot be served', async () => {
    const namespace = await cluster.createNamespace();
    await using _operator = await startFleetOperator({ client, namespace });
    const metadata = { namespace, name: 'cert' };
    const dataOf = (cert: string, key = cert) => ({
      'tls.crt': Buffer.from(cert).toString('base64'),
      'tls.key': Buffer.from(key).toString('base64'),
    });
    const data = dataOf(LOOPBACK_PEM);
    await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata, data }, { signal });
    await create(namespace, { listeners: [{ name: 'https', port: 8443, tlsSecretRef: { name: 'cert' } }] });
    const before = await waitFor(() => deploymentOf(namespace), { what: 'a Deployment' });
    await client.mergePatch(SECRETS, metadata, { data: dataOf(RENEWED_PEM) }, { signal });
    await edit(namespace, { metadata: { annotations: { 'gatehouse.dev/requestedAt': 'now' } } });
    await waitFor(async () => {
      const { status } = await client.get(FLEETS, { namespace, name: 'f' }, { signal });
      return status?.['lastHandledReconcileAt'] === 'now';
    });
    expect((await deploymentOf(namespace))?.metadata.generation).toBe(before.metadata.generation);

    const broken = dataOf(RENEWED_PEM, LOOPBACK_PEM);
    await client.mergePatch(SECRETS, metadata, { data: broken }, { signal });
    const told = await waitFor(() => stalled(namespace), { what: 'a refusal of the certificate' });
    const message = expect.stringContaining(
      'spec.listeners[0].tlsSecretRef: in the Secret cert tls.key does not belong',
    );
    expect(told).toMatchObject({ reason: 'InvalidCertificateRef', message });
    expect((await deploymentOf(namespace))?.metadata.generation).toBe(before.metadata.generation);
    await client.mergePatch(SECRETS, metadata, { data }, { signal });
    await waitFor(async () => (await stalled(namespace)) === undefined, { what: 'a fleet that has healed' });
  });
});

test.for([
  { rule: 'volumes', spec: { pod: { volumes: FULL.pod.volumes } }, field: 'spec.pod.volumes' },
  {
    rule: 'affinity to pods of others',
    spec: { pod: { affinity: FULL.pod.affinity } },
    field: 'requiredDuringSchedulingIgnoredDuringExecution[0].namespaces',
  },
  {
    rule: 'labels of the platform',
    spec: { service: { labels: { 'service.kubernetes.io/headless': '' } } },
    field: 'spec.service.labels',
  },
])('a fleet of a tenant has no $rule', async ({ spec, field }) => {
  const namespace = await cluster.createNamespace();
  const settings = { fleetNamespaces: new Set(['gatehouse-gateways']) };
  await using _operator = await startFleetOperator({ client, namespace, settings });
  await create(namespace, spec);
  const refused = await waitFor(() => stalled(namespace), { what: 'a refusal' });
  expect(refused).toMatchObject({ reason: 'Invalid', message: expect.stringContaining(field) });
  expect(await deploymentOf(namespace)).toBeUndefined();
});
