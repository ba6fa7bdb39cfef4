/** Children that were changed by another client, and children that the API server does not take. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FLEETS } from '../../../operator/src/kinds/gateway-fleet/index.ts';
import {
  DEPLOYMENTS,
  NETWORK_POLICIES,
  ROLE_BINDINGS,
  SERVICES,
} from '../../../operator/src/kinds/gateway-fleet/kube-kinds.ts';
import { conditionOf, type KindRef, type KubeClient, type KubeObject } from '../../../operator/src/runtime/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { connectClient } from '../runtime/support.ts';
import { comesToRest, fleet, startFleetOperator } from './support.ts';

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
const create = (namespace: string, spec: object = {}) => client.create(FLEETS, fleet(namespace, 'f', spec), { signal });
const edit = (namespace: string, patch: object) =>
  client.mergePatch(FLEETS, { namespace, name: 'f' }, patch, { signal });

/** What is wanted of an object, without what the server and others write into it. */
async function contentOf(kind: KindRef, namespace: string): Promise<object> {
  const {
    metadata: _,
    status: __,
    ...content
  } = await client.get<KubeObject & { status?: unknown }>(
    kind as KindRef<KubeObject & { status?: unknown }>, // its members are not looked at
    child(namespace),
    { signal },
  );
  return content;
}

interface Drift {
  readonly rule: string;
  readonly kind: KindRef;
  readonly patch: object;
}

const POLICY = { ingress: [{ ports: [{ protocol: 'TCP', port: 8787 }] }] };

describe('a child that another client has changed is put right:', () => {
  test.for<Drift>([
    {
      rule: 'a role for another account',
      kind: ROLE_BINDINGS,
      patch: {
        subjects: [
          { kind: 'ServiceAccount', name: 'f-gateway', namespace: 'default' },
          { kind: 'ServiceAccount', name: 'spy', namespace: 'default' },
        ],
      },
    },
    {
      rule: 'an open admin port',
      kind: NETWORK_POLICIES,
      patch: { spec: { ingress: [{ ports: [...(POLICY.ingress[0]?.ports ?? []), { protocol: 'TCP', port: 8789 }] }] } },
    },
    {
      rule: 'an open range of ports',
      kind: NETWORK_POLICIES,
      patch: { spec: { ingress: [{ ports: [{ protocol: 'TCP', port: 8787, endPort: 9000 }] }] } },
    },
    {
      rule: 'a policy for no pod',
      kind: NETWORK_POLICIES,
      patch: { spec: { podSelector: { matchLabels: { nobody: 'has' } } } },
    },
    { rule: 'a Service for no pod', kind: SERVICES, patch: { spec: { selector: { nobody: 'has' } } } },
  ])('$rule', async ({ kind, patch }) => {
    const namespace = await cluster.createNamespace();
    await using operator = await startFleetOperator({ client, namespace });
    await create(namespace);
    await waitFor(() => contentOf(DEPLOYMENTS, namespace).catch(() => undefined), { what: 'children' });
    const before = await contentOf(kind, namespace);
    const { metadata } = await client.mergePatch(kind, child(namespace), patch, {
      signal,
      fieldManager: 'kubectl-edit',
    });
    await waitFor(
      async () => {
        const now = await client.get(kind, child(namespace), { signal });
        return now.metadata.resourceVersion !== metadata.resourceVersion;
      },
      { what: 'the operator’s answer' },
    );
    expect(await contentOf(kind, namespace)).toEqual(before);
    await comesToRest(client, namespace, operator);
    expect(operator.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

test.for([
  {
    rule: 'a request above its limit',
    spec: { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
    fix: { resources: null },
    field: 'spec.template.spec.containers[0].resources.requests',
  },
  {
    rule: 'a label that is none',
    spec: { pod: { labels: { 'bad label!': 'hush hush' } } },
    fix: { pod: null },
    field: 'spec.template.labels',
  },
])('a fleet with $rule says what the API server refuses, and heals', async ({ spec, fix, field }) => {
  const namespace = await cluster.createNamespace();
  await using operator = await startFleetOperator({ client, namespace });
  await create(namespace, spec);
  const stalled = await waitFor(
    async () => conditionOf(await client.get(FLEETS, { namespace, name: 'f' }, { signal }), 'Stalled'),
    { what: 'a fleet that is stalled' },
  );
  expect(stalled).toMatchObject({ status: 'True', reason: 'Invalid' });
  for (const named of ['Deployment f-gateway', field]) expect(JSON.stringify(stalled)).toContain(named);
  expect(JSON.stringify([stalled, operator.log.lines])).not.toContain('hush');
  const lines = operator.log.lines.filter(({ level }) => level === 'warn' || level === 'error');
  // A run that waits for what its cache does not show yet may be between two of them.
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines)
    expect(line).toMatchObject({ fields: { object: { name: 'f-gateway' }, fields: [{ field }] } });
  await edit(namespace, { spec: fix });
  await waitFor(() => contentOf(DEPLOYMENTS, namespace).catch(() => undefined), { what: 'a Deployment' });
});
