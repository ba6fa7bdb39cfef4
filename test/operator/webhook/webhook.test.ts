import { isObject } from '@gatehouse/crds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeClient } from '../../../operator/src/runtime/index.ts';
import type { Certificates } from '../../../operator/src/webhook/index.ts';
import { type ControlPlane, installCustomResources, startControlPlane } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { connectClient } from '../runtime/support.ts';
import {
  apply,
  badConfig,
  certificatesIn,
  IMAGE,
  INJECTION_PATH,
  type LiveView,
  LOCAL,
  make,
  makeWorkspace,
  pathOf,
  pod,
  type RunningWebhooks,
  resource,
  startAll,
  untilAsked,
  untilSeen,
  VALIDATING_PATH,
  watchWorld,
} from './support.ts';

// A cluster of its own: webhook configurations rule a whole cluster, and one of these goes out of order on purpose.
let cluster: ControlPlane;
let client: KubeClient;
let view: LiveView;
let certificates: Certificates;
let webhooks: RunningWebhooks;
let team: string;
let outsider: string;

beforeAll(async () => {
  cluster = await startControlPlane();
  await installCustomResources(cluster);
  client = await connectClient(cluster);
  view = await watchWorld(client);
  certificates = await certificatesIn(client, 'default');
  webhooks = await startAll(client, { certificates, view });
  team = await makeWorkspace(cluster, view);
  outsider = await makeWorkspace(cluster, view, {});
  await untilAsked(cluster, team);
  for (const namespace of [team, outsider]) {
    await make(cluster, resource('SidecarProfile', namespace, 'default', {}));
    await untilSeen(view, 'SidecarProfile', `${namespace}/default`);
  }
}, 120_000);
afterAll(async () => {
  await webhooks?.[Symbol.asyncDispose]();
  await certificates?.[Symbol.asyncDispose]();
  await view?.[Symbol.asyncDispose]();
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

const causesOf = (body: unknown): readonly { field?: string; reason?: string; message?: string }[] => {
  const details = isObject(body) && isObject(body['details']) ? body['details'] : {};
  return Array.isArray(details['causes']) ? details['causes'] : [];
};
const bodyOf = async (path: string): Promise<Record<string, unknown>> =>
  (await cluster.request('GET', path)).body as Record<string, unknown>; // a JSON object

describe('a write of our Kinds', () => {
  test('is refused with every problem and its place', async () => {
    const { status, body } = await apply(cluster, resource('GatewayConfig', team, 'bad', badConfig()));
    expect(status).toBe(422);
    const deep = 'spec.config.targets[0].targets[0].targets';
    expect(causesOf(body).map(({ field }) => field)).toEqual(
      expect.arrayContaining([`${deep}[0].weight`, `${deep}[1].provdier`]),
    );
  });

  test('is refused when its name is taken by the other Kind with the same slug', async () => {
    await make(cluster, resource('VirtualKey', team, 'taken', LOCAL));
    await untilSeen(view, 'VirtualKey', `${team}/taken`);
    const { status, body } = await apply(
      cluster,
      resource('Provider', team, 'taken', { integrationRef: { name: 'x' } }),
    );
    expect(status).toBe(422);
    expect(causesOf(body)).toEqual([
      expect.objectContaining({ field: 'metadata.name', reason: 'FieldValueDuplicate' }),
    ]);
  });

  test('warns of references that are not there yet and goes through', async () => {
    const config = resource('GatewayConfig', team, 'early', { config: { provider: '@not-there-yet' } });
    const printed = await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(config) });
    expect(printed).toMatchObject({ code: 0, stderr: expect.stringContaining('spec.config.provider') });
  });

  test('is not asked about when it is a status', async () => {
    await make(cluster, resource('VirtualKey', team, 'told', LOCAL));
    const answer = await cluster.request('PATCH', `${pathOf(resource('VirtualKey', team, 'told', {}))}/status`, {
      contentType: 'application/merge-patch+json',
      body: { status: { observedGeneration: 1 } },
    });
    expect(answer.status).toBe(200);
  });
});

describe('a deletion', () => {
  test('is refused while something else names the object, and then goes through', async () => {
    const provider = resource('VirtualKey', team, 'used', LOCAL);
    const config = resource('GatewayConfig', team, 'user', { config: { provider: '@used' } });
    for (const object of [provider, config]) await make(cluster, object);
    await untilSeen(view, 'GatewayConfig', `${team}/user`);
    await untilSeen(view, 'VirtualKey', `${team}/used`);
    const refused = await cluster.request('DELETE', pathOf(provider));
    expect(refused.status).toBe(409);
    expect(causesOf(refused.body)).toEqual([
      expect.objectContaining({
        reason: 'ObjectInUse',
        message: expect.stringContaining(`GatewayConfig/${team}/user`),
      }),
    ]);
    expect((await cluster.request('DELETE', pathOf(config))).status).toBe(200);
    await waitFor(() => view.stores.get('GatewayConfig')?.get(`${team}/user`) === undefined, { what: 'the deletion' });
    expect((await cluster.request('DELETE', pathOf(provider))).status).toBe(200);
  });

  test('of a namespace is never held up', async () => {
    const namespace = await makeWorkspace(cluster, view);
    await make(cluster, resource('VirtualKey', namespace, 'used', LOCAL));
    await make(cluster, resource('GatewayConfig', namespace, 'user', { config: { provider: '@used' } }));
    await untilSeen(view, 'GatewayConfig', `${namespace}/user`);
    await cluster.request('DELETE', `/api/v1/namespaces/${namespace}`);
    await waitFor(async () => (await cluster.request('GET', `/api/v1/namespaces/${namespace}`)).status === 404, {
      deadlineMs: 30_000,
      what: 'the end of the namespace',
    });
  });
});

describe('a pod', () => {
  const LABELS = { 'gatehouse.dev/sidecar': 'default' };

  test.for([
    {
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      spec: { replicas: 1, selector: { matchLabels: { app: 'deployment' } } },
    },
    { kind: 'Job', apiVersion: 'batch/v1', spec: {} },
  ])('of a $kind gets the sidecar before everything else', async ({ kind, apiVersion, spec }) => {
    const app = kind.toLowerCase();
    const template = {
      metadata: { labels: { ...LABELS, app } },
      spec: {
        restartPolicy: kind === 'Job' ? 'Never' : 'Always',
        initContainers: [{ name: 'migrate', image: 'app:1' }],
        containers: [{ name: 'app', image: 'app:1', env: [{ name: 'OPENAI_API_KEY', value: 'my-own' }] }],
      },
    };
    const name = `owner-${app}`;
    await make(cluster, { apiVersion, kind, metadata: { name, namespace: team }, ...{ spec: { ...spec, template } } });
    const created = await waitFor(async () => {
      const list = await bodyOf(`/api/v1/namespaces/${team}/pods?labelSelector=app%3D${app}`);
      return (list['items'] as readonly { spec: object; metadata: object }[])[0];
    });
    expect(created.metadata).toMatchObject({ annotations: { 'gatehouse.dev/injected': 'default' } });
    expect(created.spec).toMatchObject({
      initContainers: [{ name: 'gatehouse', image: IMAGE, restartPolicy: 'Always' }, { name: 'migrate' }],
      containers: [
        {
          env: [
            { name: 'OPENAI_API_KEY', value: 'my-own' },
            { name: 'OPENAI_BASE_URL', value: 'http://127.0.0.1:8787/v1' },
            { name: 'ANTHROPIC_BASE_URL', value: 'http://127.0.0.1:8787' },
            { name: 'ANTHROPIC_API_KEY' },
          ],
        },
      ],
    });
  });

  test.for([
    { rule: 'without the label stays as it is', where: () => team, labels: {} },
    { rule: 'in a namespace that has not opted in stays as it is', where: () => outsider, labels: LABELS },
  ])('$rule', async ({ where, labels }) => {
    const { status, body } = await apply(cluster, pod(where(), 'plain', labels), { dryRun: true });
    expect(status).toBe(201);
    expect(body).not.toHaveProperty('spec.initContainers');
  });

  test('that names a profile nobody made is refused with what to do', async () => {
    const { status, body } = await apply(cluster, pod(team, 'lost', { 'gatehouse.dev/sidecar': 'nobody' }));
    expect(status).toBe(403);
    expect(body).toMatchObject({ message: expect.stringContaining('SidecarProfile nobody') });
  });

  test('fits a namespace that enforces the restricted standard', async () => {
    await cluster.request('PATCH', `/api/v1/namespaces/${team}`, {
      contentType: 'application/merge-patch+json',
      body: { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
    });
    const securityContext = { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } };
    const container = {
      name: 'app',
      image: 'app:1',
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    };
    const asked = pod(team, 'restricted', LABELS, { securityContext, containers: [container] });
    const { status, body } = await apply(cluster, asked, { dryRun: true });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { spec: { initContainers: [{ name: 'gatehouse' }] } },
    });
    await cluster.request('PATCH', `/api/v1/namespaces/${team}`, {
      contentType: 'application/merge-patch+json',
      body: { metadata: { labels: { 'pod-security.kubernetes.io/enforce': null } } },
    });
  });
});

describe('the configurations', () => {
  test('are put back when somebody empties or deletes them', async () => {
    const before = await bodyOf(INJECTION_PATH);
    await cluster.request('PATCH', INJECTION_PATH, {
      contentType: 'application/merge-patch+json',
      body: { webhooks: [] },
    });
    await cluster.request('DELETE', VALIDATING_PATH);
    await waitFor(async () => {
      const after = await bodyOf(INJECTION_PATH);
      return JSON.stringify(after['webhooks']) === JSON.stringify(before['webhooks']);
    });
    await waitFor(async () => (await cluster.request('GET', VALIDATING_PATH)).status === 200);
    await untilAsked(cluster, team);
  });

  test('follow a new authority, and nobody is turned away meanwhile', async () => {
    const rotated = await certificatesIn(client, outsider, {
      lifetimes: { authorityMs: 9_000, leafMs: 4_500, settleMs: 1_000 },
    });
    const first = rotated.current;
    await using _rotating = await startAll(client, { certificates: rotated, view });
    await webhooks[Symbol.asyncDispose]();
    await untilAsked(cluster, team);
    const turnedAway: unknown[] = [];
    await waitFor(
      async () => {
        const { status, body } = await apply(cluster, pod(team, 'during', { 'gatehouse.dev/sidecar': 'default' }), {
          dryRun: true,
        });
        if (status !== 201) turnedAway.push(body);
        return rotated.current.caPem !== first.caPem && rotated.current.certPem !== first.certPem;
      },
      { deadlineMs: 30_000, what: 'a new authority and a new certificate' },
    );
    expect(turnedAway).toEqual([]);
    await rotated[Symbol.asyncDispose]();
  });
});

describe('without anybody who answers', () => {
  test('only pods that ask for a sidecar wait; all else goes on', async () => {
    const { status } = await apply(cluster, pod(team, 'asks', { 'gatehouse.dev/sidecar': 'default' }), {
      dryRun: true,
    });
    expect(status).toBe(500);
    const others = [
      pod(team, 'asks-nothing', {}),
      pod(outsider, 'elsewhere', { 'gatehouse.dev/sidecar': 'default' }),
      resource('VirtualKey', team, 'late', LOCAL),
    ];
    for (const object of others) expect((await apply(cluster, object, { dryRun: true })).status).toBe(201);
  });
});
