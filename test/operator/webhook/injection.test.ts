import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runKubectl } from '../../cluster/index.ts';
import { blocksOf, ROOT } from '../../docs/documents.ts';
import { waitFor } from '../../kit/wait-for.ts';
import {
  apply,
  bodyOf,
  IMAGE,
  make,
  makeWorkspace,
  pod,
  resource,
  startWebhookStage,
  untilSeen,
  type WebhookStage,
} from './support.ts';

// A cluster of its own: webhook configurations rule a whole cluster.
let stage: WebhookStage;
beforeAll(async () => {
  stage = await startWebhookStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

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
        const list = await bodyOf(stage.cluster, `/api/v1/namespaces/${stage.team}/pods?labelSelector=app%3D${app}`);
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
    await make(stage.cluster, {
      apiVersion,
      kind,
      metadata: { name: `owner-${app}`, namespace: stage.team },
      ...{ spec: specOf(app) },
    });
    if (kind === 'CronJob') {
      // What its controller does when the time has come.
      await runKubectl(stage.cluster, [
        '-n',
        stage.team,
        'create',
        'job',
        'from-cronjob',
        `--from=cronjob/owner-${app}`,
      ]);
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
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'once', namespace: stage.team } };
    await make(stage.cluster, { ...job, ...{ spec: { template: templateOf('once', 'Never') } } });
    const { metadata } = await podOf('once');
    await stage.cluster.request('PATCH', `/api/v1/namespaces/${stage.team}/pods/${metadata.name}/status`, {
      contentType: 'application/strategic-merge-patch+json',
      body: { status: { phase: 'Succeeded' } }, // as the kubelet says it when the app has ended and the sidecar was stopped
    });
    await runKubectl(stage.cluster, [
      '-n',
      stage.team,
      'wait',
      '--for=condition=Complete',
      'job/once',
      '--timeout=120s',
    ]);
  });

  test('is the same after a second review, and when it is created again from its result', async () => {
    const namespace = await makeWorkspace(stage.cluster, stage.view);
    await make(stage.cluster, resource('SidecarProfile', namespace, 'default', {}));
    await untilSeen(stage.view, 'SidecarProfile', `${namespace}/default`);
    const range = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'cpu', namespace } };
    await make(stage.cluster, { ...range, ...{ spec: { limits: [{ type: 'Container', default: { cpu: '2' } }] } } });
    const before = stage.webhooks.reports.length;
    const created = await apply(stage.cluster, pod(namespace, 'twice', LABELS));
    expect(created.status).toBe(201);
    // The limit for the new container is a change by another writer, and so the API server asks again.
    const asked = stage.webhooks.reports.slice(before).filter(({ path }) => path === '/inject');
    expect(asked.map(({ outcome }) => outcome)).toEqual(['patched', 'allowed']);
    const { metadata, spec } = created.body as Pod; // what was made
    expect(spec.initContainers).toMatchObject([{ name: 'gatehouse', resources: { limits: { cpu: '2' } } }]);
    const { labels, annotations } = metadata;
    const copy = { ...pod(namespace, 'once-more', {}), metadata: { name: 'once-more', labels, annotations }, spec };
    const again = await stage.cluster.request('POST', `/api/v1/namespaces/${namespace}/pods`, { body: copy });
    expect(again).toMatchObject({ status: 201, body: { spec } });
  });

  test('keeps its token for the API server to itself', async () => {
    const { status, body } = await apply(stage.cluster, pod(stage.team, 'tokens', LABELS), { dryRun: true });
    expect(status).toBe(201);
    const { initContainers, containers } = (body as Pod).spec; // what would be made
    const volumesAt = ({ volumeMounts = [] }: Mounting) =>
      volumeMounts.filter(({ mountPath }) => mountPath.endsWith('/serviceaccount')).map(({ name }) => name);
    expect(initContainers.map(volumesAt)).toEqual([['gatehouse-no-api-token']]);
    expect(containers.map(volumesAt)).toEqual([[expect.stringMatching(/^kube-api-access-/)]]);
  });

  test('in a namespace whose users the platform assigns gets a sidecar with one of them', async () => {
    const namespace = await makeWorkspace(stage.cluster, stage.view);
    await make(stage.cluster, resource('SidecarProfile', namespace, 'default', {}));
    await untilSeen(stage.view, 'SidecarProfile', `${namespace}/default`);
    const range = 'openshift.io/sa.scc.uid-range=1000660000/10000';
    await runKubectl(stage.cluster, ['annotate', 'namespace', namespace, range]);
    await waitFor(() => stage.view.userRangeOf(namespace) !== undefined, { what: 'the range' });
    // What the platform gives containers that name no user.
    const containers = [{ name: 'app', image: 'app:1', securityContext: { runAsUser: 1_000_660_000 } }];
    const { status, body } = await apply(stage.cluster, pod(namespace, 'assigned', LABELS, { containers }), {
      dryRun: true,
    });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { spec: { initContainers: [{ name: 'gatehouse', securityContext: { runAsUser: 1_000_660_001 } }] } },
    });
  });

  test('on the host network gets no sidecar, and its creator gets a warning', async () => {
    const asked = pod(stage.team, 'on-host', LABELS, { hostNetwork: true });
    const { code, stderr } = await stage.cluster.kubectl(['apply', '--dry-run=server', '-f', '-'], {
      input: JSON.stringify(asked),
    });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Warning: no sidecar') });
    const { status, body } = await apply(stage.cluster, asked, { dryRun: true });
    expect(status).toBe(201);
    expect(body).not.toHaveProperty('spec.initContainers');
    expect(body).not.toHaveProperty('spec.containers.0.env');
  });

  test('of the guide finds what the guide says', async () => {
    const block = blocksOf('docs/guide/sidecars.md').find(({ text }) => text.includes('kind: SidecarProfile'));
    await runKubectl(stage.cluster, ['apply', '-f', '-'], {
      input: block?.text.replaceAll('team-a', stage.team) ?? '',
    });
    const { spec } = await podOf('checkout');
    expect(spec.initContainers.map(({ name }) => name)).toEqual(['gatehouse']);
    const guide = readFileSync(join(ROOT, 'docs/guide/sidecars.md'), 'utf8');
    const rows = [...guide.matchAll(/^\| `([A-Z_]+)` +\| `(\S+)` +\|$/gm)].map(([, name, value]) => ({ name, value }));
    expect(spec.containers[0]?.env).toEqual(expect.arrayContaining(rows));
    expect(spec.containers[0]?.env).toHaveLength(rows.length);
  });

  test.for([
    { rule: 'without the label stays as it is', where: () => stage.team, labels: {} },
    { rule: 'in a namespace that has not opted in stays as it is', where: () => stage.outsider, labels: LABELS },
  ])('$rule', async ({ where, labels }) => {
    const { status, body } = await apply(stage.cluster, pod(where(), 'plain', labels), { dryRun: true });
    expect(status).toBe(201);
    expect(body).not.toHaveProperty('spec.initContainers');
  });

  test('that names a missing profile is refused with what to do', async () => {
    const { status, body } = await apply(stage.cluster, pod(stage.team, 'lost', { 'gatehouse.dev/sidecar': 'nobody' }));
    expect(status).toBe(403);
    expect(body).toMatchObject({ message: expect.stringContaining('SidecarProfile nobody') });
  });

  test('fits a namespace that enforces the restricted standard', async () => {
    await stage.cluster.request('PATCH', `/api/v1/namespaces/${stage.team}`, {
      contentType: 'application/merge-patch+json',
      body: { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
    });
    const securityContext = { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } };
    const container = {
      name: 'app',
      image: 'app:1',
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    };
    const asked = pod(stage.team, 'restricted', LABELS, { securityContext, containers: [container] });
    const { status, body } = await apply(stage.cluster, asked, { dryRun: true });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { spec: { initContainers: [{ name: 'gatehouse' }] } },
    });
    await stage.cluster.request('PATCH', `/api/v1/namespaces/${stage.team}`, {
      contentType: 'application/merge-patch+json',
      body: { metadata: { labels: { 'pod-security.kubernetes.io/enforce': null } } },
    });
  });
});
