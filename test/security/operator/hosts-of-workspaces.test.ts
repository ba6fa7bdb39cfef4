/** A tenant's resource could name any Service or address of the cluster, and have gateways call it. */
import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import {
  apply,
  becomes,
  entriesIn,
  entriesServed,
  type KubeThing,
  ours,
  setStage,
  startOperator,
} from '../../operator/operator/support.ts';

const POD_IP = '10.244.77.7';
const FORGED = '10.9.9.9';

const service = (namespace: string, name: string, spec: object): KubeThing => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { ports: [{ port: 8000, targetPort: 8000 }], ...spec },
});

/** Written by hand: who may write EndpointSlices may write any address into them. */
const slice = (namespace: string, name: string, address: string): KubeThing =>
  ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: '', port: 8000 }],
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
  }) as unknown as KubeThing; // it has no spec

async function runPod(cluster: ControlPlaneAccess, namespace: string): Promise<void> {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const body = {
    metadata: { name: 'vllm', labels: { app: 'vllm' } },
    spec: { containers: [{ name: 'c', image: 'none' }] },
  };
  expect((await cluster.request('POST', pods, { body })).status).toBe(201);
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  const status = { phase: 'Running', podIP: POD_IP, podIPs: [{ ip: POD_IP }], conditions };
  const contentType = 'application/strategic-merge-patch+json';
  expect((await cluster.request('PATCH', `${pods}/vllm/status`, { body: { status }, contentType })).status).toBe(200);
}

test("a resource of a workspace reaches the pods of its namespace's Services and no address that was written into endpoints", async () => {
  await using cluster = sharedControlPlane();
  await using stage = await setStage(cluster, { args: ['--no-webhooks'] });
  const { tenant, fleets, organisation } = stage;
  const account = (name: string, host: string) =>
    ours('VirtualKey', { name, namespace: tenant }, { provider: 'ollama', customHost: `http://${host}:8000/v1` });
  const [inside, forged, away, elsewhere] = [
    account('inside', `vllm.${tenant}.svc`),
    account('forged', 'forged'),
    account('away', `away.${tenant}.svc.cluster.local`),
    account('elsewhere', `vllm.${organisation}x.svc`),
  ];
  const objects = [
    service(tenant, 'vllm', {}),
    slice(tenant, 'vllm', POD_IP),
    service(tenant, 'forged', {}),
    slice(tenant, 'forged', FORGED),
    service(tenant, 'away', { type: 'ExternalName', externalName: `vllm.${organisation}.svc` }),
    ...[inside, forged, away, elsewhere],
  ];
  for (const object of objects) await apply(cluster, object);
  await runPod(cluster, tenant);
  await using _operator = await startOperator(stage.setup);

  const servicesOf = async (slug: string): Promise<unknown> => {
    const entries = await entriesServed(cluster, fleets);
    const found = entries.find(({ id }) => id === `provider/${tenant}/${slug}`);
    return found?.kind === 'provider' ? found.body.reach?.services : undefined;
  };
  const at = (endpoints: readonly string[], host: string) => [{ host, port: 8000, endpoints }];
  const reached = at([`${POD_IP}:8000`], `vllm.${tenant}.svc`);
  await waitFor(async () => JSON.stringify((await servicesOf('inside')) ?? '').includes(POD_IP), {
    what: 'the pod of the Service',
  });
  expect(await servicesOf('inside')).toEqual(reached);
  expect(await servicesOf('forged')).toEqual(at([], 'forged'));
  await becomes(cluster, inside, { type: 'ResolvedRefs', status: 'True' });
  for (const object of [away, elsewhere]) {
    await becomes(cluster, object, { type: 'ResolvedRefs', status: 'False', reason: 'RefNotPermitted' });
  }
  expect(JSON.stringify(await entriesIn(cluster, fleets))).not.toContain(FORGED);

  // An address that is free again may belong to another tenant at once.
  await cluster.request('DELETE', `/api/v1/namespaces/${tenant}/pods/vllm?gracePeriodSeconds=0`);
  const newest = async (): Promise<boolean> => {
    const entries = await entriesServed(cluster, fleets);
    return entries.some(
      (entry) =>
        entry.kind === 'provider' &&
        entry.body.slug === 'inside' &&
        entry.body.reach?.services[0]?.endpoints.length === 0,
    );
  };
  await waitFor(newest, { what: 'a Service without pods' });
});
