import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '@gatehouse/crds';
import type { KindName } from '@gatehouse/crds/kinds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Certificates } from '../../../operator/src/certificates/index.ts';
import type { KubeClient } from '../../../operator/src/runtime/index.ts';
import { type ControlPlane, installCustomResources, runKubectl, startControlPlane } from '../../cluster/index.ts';
import { blocksOf, ROOT } from '../../docs/documents.ts';
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
});
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

  test('needs no review when it is a status', async () => {
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

  test('of a whole set is done when the command is repeated, though what is named comes first', async () => {
    const set = [
      resource('VirtualKey', team, 'set-account', LOCAL),
      resource('GatewayConfig', team, 'set-config', { config: { provider: '@set-account' } }),
      resource('SidecarProfile', team, 'set-app', { defaults: { configRef: { name: 'set-config' } } }),
    ];
    for (const object of set) await make(cluster, object);
    for (const { kind, metadata } of set) await untilSeen(view, kind as KindName, `${team}/${metadata.name}`);
    const list = { apiVersion: 'v1', kind: 'List', items: set };
    const remove = () => cluster.kubectl(['delete', '--ignore-not-found', '-f', '-'], { input: JSON.stringify(list) });
    expect(await remove()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`SidecarProfile/${team}/set-app`),
    });
    await waitFor(async () => (await remove()).code === 0, { what: 'the end of the set' });
  });

  test('of a namespace is never held up', async () => {
    const namespace = await makeWorkspace(cluster, view);
    await make(cluster, resource('VirtualKey', namespace, 'used', LOCAL));
    await make(cluster, resource('GatewayConfig', namespace, 'user', { config: { provider: '@used' } }));
    await untilSeen(view, 'GatewayConfig', `${namespace}/user`);
    await cluster.request('DELETE', `/api/v1/namespaces/${namespace}`);
    await waitFor(async () => (await cluster.request('GET', `/api/v1/namespaces/${namespace}`)).status === 404, {
      what: 'the end of the namespace',
    });
  });
});

interface Mounting {
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Pod {
  readonly metadata: { readonly name: string; readonly labels: object; readonly annotations: object };
  readonly spec: {
    readonly initContainers: readonly (Mounting & { readonly name: string })[];
    readonly containers: readonly (Mounting & { readonly env?: readonly object[] })[];
  };
}

describe('a pod', () => {
  const LABELS = { 'gatehouse.dev/sidecar': 'default' };

  const templateOf = (app: string, restartPolicy: string) => ({
    metadata: { labels: { ...LABELS, app } },
    spec: {
      restartPolicy,
      initContainers: [{ name: 'migrate', image: 'app:1' }],
      containers: [{ name: 'app', image: 'app:1', env: [{ name: 'OPENAI_API_KEY', value: 'my-own' }] }],
    },
  });
  const podOf = (app: string): Promise<Pod> =>
    waitFor(
      async () => {
        const list = await bodyOf(`/api/v1/namespaces/${team}/pods?labelSelector=app%3D${app}`);
        return (list['items'] as readonly Pod[])[0]; // a list of pods
      },
      { what: `a pod of ${app}` },
    );

  test.for([
    {
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      specOf: (app: string) => ({ selector: { matchLabels: { app } }, template: templateOf(app, 'Always') }),
    },
    {
      kind: 'Job',
      apiVersion: 'batch/v1',
      specOf: (app: string) => ({ template: templateOf(app, 'Never') }),
    },
    {
      kind: 'CronJob',
      apiVersion: 'batch/v1',
      specOf: (app: string) => ({
        schedule: '0 0 1 1 *',
        jobTemplate: { spec: { template: templateOf(app, 'OnFailure') } },
      }),
    },
  ])('of a $kind gets the sidecar before everything else', async ({ kind, apiVersion, specOf }) => {
    const app = kind.toLowerCase();
    await make(cluster, {
      apiVersion,
      kind,
      metadata: { name: `owner-${app}`, namespace: team },
      ...{ spec: specOf(app) },
    });
    if (kind === 'CronJob') {
      // What its controller does when the time has come.
      await runKubectl(cluster, ['-n', team, 'create', 'job', 'from-cronjob', `--from=cronjob/owner-${app}`]);
    }
    const { metadata, spec } = await podOf(app);
    expect(metadata).toMatchObject({ annotations: { 'gatehouse.dev/injected': 'default' } });
    expect(spec).toMatchObject({
      initContainers: [{ name: 'gatehouse', image: IMAGE, restartPolicy: 'Always' }, { name: 'migrate' }],
      // A Job waits for the end of these alone.
      containers: [
        {
          name: 'app',
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

  test('that has ended completes its Job', async () => {
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'once', namespace: team } };
    await make(cluster, { ...job, ...{ spec: { template: templateOf('once', 'Never') } } });
    const { metadata } = await podOf('once');
    await cluster.request('PATCH', `/api/v1/namespaces/${team}/pods/${metadata.name}/status`, {
      contentType: 'application/strategic-merge-patch+json',
      body: { status: { phase: 'Succeeded' } }, // as the kubelet says it when the app has ended and the sidecar was stopped
    });
    await runKubectl(cluster, ['-n', team, 'wait', '--for=condition=Complete', 'job/once', '--timeout=30s']);
  });

  test('is the same after a second review, and when it is created again from its result', async () => {
    const namespace = await makeWorkspace(cluster, view);
    await make(cluster, resource('SidecarProfile', namespace, 'default', {}));
    await untilSeen(view, 'SidecarProfile', `${namespace}/default`);
    const range = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'cpu', namespace } };
    await make(cluster, { ...range, ...{ spec: { limits: [{ type: 'Container', default: { cpu: '2' } }] } } });
    const before = webhooks.reports.length;
    const created = await apply(cluster, pod(namespace, 'twice', LABELS));
    expect(created.status).toBe(201);
    // The limit for the new container is a change by another writer, and so the API server asks again.
    const asked = webhooks.reports.slice(before).filter(({ path }) => path === '/inject');
    expect(asked.map(({ outcome }) => outcome)).toEqual(['patched', 'allowed']);
    const { metadata, spec } = created.body as Pod; // what was made
    expect(spec.initContainers).toMatchObject([{ name: 'gatehouse', resources: { limits: { cpu: '2' } } }]);
    const { labels, annotations } = metadata;
    const copy = { ...pod(namespace, 'once-more', {}), metadata: { name: 'once-more', labels, annotations }, spec };
    const again = await cluster.request('POST', `/api/v1/namespaces/${namespace}/pods`, { body: copy });
    expect(again).toMatchObject({ status: 201, body: { spec } });
  });

  test('keeps its token for the API server to itself', async () => {
    const { status, body } = await apply(cluster, pod(team, 'tokens', LABELS), { dryRun: true });
    expect(status).toBe(201);
    const { initContainers, containers } = (body as Pod).spec; // what would be made
    const volumesAt = ({ volumeMounts = [] }: Mounting) =>
      volumeMounts.filter(({ mountPath }) => mountPath.endsWith('/serviceaccount')).map(({ name }) => name);
    expect(initContainers.map(volumesAt)).toEqual([['gatehouse-no-api-token']]);
    expect(containers.map(volumesAt)).toEqual([[expect.stringMatching(/^kube-api-access-/)]]);
  });

  test('in a namespace whose users the platform assigns gets a sidecar with one of them', async () => {
    const namespace = await makeWorkspace(cluster, view);
    await make(cluster, resource('SidecarProfile', namespace, 'default', {}));
    await untilSeen(view, 'SidecarProfile', `${namespace}/default`);
    const range = 'openshift.io/sa.scc.uid-range=1000660000/10000';
    await runKubectl(cluster, ['annotate', 'namespace', namespace, range]);
    await waitFor(() => view.userRangeOf(namespace) !== undefined, { what: 'the range' });
    // What the platform gives containers that name no user.
    const containers = [{ name: 'app', image: 'app:1', securityContext: { runAsUser: 1_000_660_000 } }];
    const { status, body } = await apply(cluster, pod(namespace, 'assigned', LABELS, { containers }), { dryRun: true });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { spec: { initContainers: [{ name: 'gatehouse', securityContext: { runAsUser: 1_000_660_001 } }] } },
    });
  });

  test('on the host network gets no sidecar, and its creator gets a warning', async () => {
    const asked = pod(team, 'on-host', LABELS, { hostNetwork: true });
    const { code, stderr } = await cluster.kubectl(['apply', '--dry-run=server', '-f', '-'], {
      input: JSON.stringify(asked),
    });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Warning: no sidecar') });
    const { status, body } = await apply(cluster, asked, { dryRun: true });
    expect(status).toBe(201);
    expect(body).not.toHaveProperty('spec.initContainers');
    expect(body).not.toHaveProperty('spec.containers.0.env');
  });

  test('of the guide finds what the guide says', async () => {
    const block = blocksOf('docs/guide/sidecars.md').find(({ text }) => text.includes('kind: SidecarProfile'));
    await runKubectl(cluster, ['apply', '-f', '-'], { input: block?.text.replaceAll('team-a', team) ?? '' });
    const { spec } = await podOf('checkout');
    expect(spec.initContainers.map(({ name }) => name)).toEqual(['gatehouse']);
    const guide = readFileSync(join(ROOT, 'docs/guide/sidecars.md'), 'utf8');
    const rows = [...guide.matchAll(/^\| `([A-Z_]+)` +\| `(\S+)` +\|$/gm)].map(([, name, value]) => ({ name, value }));
    expect(spec.containers[0]?.env).toEqual(expect.arrayContaining(rows));
    expect(spec.containers[0]?.env).toHaveLength(rows.length);
  });

  test.for([
    { rule: 'without the label stays as it is', where: () => team, labels: {} },
    { rule: 'in a namespace that has not opted in stays as it is', where: () => outsider, labels: LABELS },
  ])('$rule', async ({ where, labels }) => {
    const { status, body } = await apply(cluster, pod(where(), 'plain', labels), { dryRun: true });
    expect(status).toBe(201);
    expect(body).not.toHaveProperty('spec.initContainers');
  });

  test('that names a missing profile is refused with what to do', async () => {
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

type Webhook = Readonly<Record<string, unknown>>;
const webhooksAt = async (path: string) => (await bodyOf(path))['webhooks'] as readonly Webhook[]; // as it is applied

async function editWebhooks(path: string, edit: (webhook: Webhook) => Webhook): Promise<void> {
  await waitFor(
    async () => {
      const before = await bodyOf(path);
      const body = { ...before, webhooks: (before['webhooks'] as readonly Webhook[]).map(edit) }; // as above
      return (await cluster.request('PUT', `${path}?fieldManager=somebody`, { body })).status === 200;
    },
    { what: path },
  );
}

/** As the injector of cert-manager does it. */
const injectTrust = (path: string, caPem: string): Promise<void> =>
  editWebhooks(path, (webhook) => {
    const to = webhook['clientConfig'] as object; // of every webhook
    return { ...webhook, clientConfig: { ...to, caBundle: Buffer.from(caPem).toString('base64') } };
  });

describe('the configurations', () => {
  test('are put back when they are emptied or deleted', async () => {
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

  test('follow a new authority, and no review fails meanwhile', async () => {
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
      { what: 'a new authority and a new certificate' },
    );
    expect(turnedAway).toEqual([]);
    await rotated[Symbol.asyncDispose]();
  });

  test('leave to cert-manager whom to trust, and never take it out again', async () => {
    const certManagerCertificate = 'default/gatehouse-webhook';
    await using _running = await startAll(client, { certificates, view, certManagerCertificate });
    for (const path of [VALIDATING_PATH, INJECTION_PATH]) {
      await waitFor(async () => JSON.stringify(await bodyOf(path)).includes(certManagerCertificate), { what: path });
      await injectTrust(path, certificates.current.caPem);
    }
    await untilAsked(cluster, team);
    // An own object is put back by an apply, which must not touch fields of others.
    await editWebhooks(VALIDATING_PATH, (webhook) => ({ ...webhook, timeoutSeconds: 9 }));
    await waitFor(async () => (await webhooksAt(VALIDATING_PATH))[0]?.['timeoutSeconds'] === 5, {
      what: 'the timeout',
    });
    await untilAsked(cluster, team);
  });
});

describe('without a webhook that answers', () => {
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
