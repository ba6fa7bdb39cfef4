import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ControlPlaneAccess, runKubectl } from '../../cluster/index.ts';
import { killProgram, processOf } from '../kit/containers.ts';
import { APP_IMAGE } from '../kit/images.ts';
import { applyObjects, corePath, GATEHOUSE, isTrue, mergePatch, pathOf, readObject, textAt } from '../kit/kube.ts';
import { EFFECT_GOAL_MS, say, timesUntil } from '../kit/measure.ts';
import { scaleOperator } from '../kit/operator.ts';
import { createTeam, resource, type Team, virtualKey } from '../kit/team.ts';
import { eventually } from '../kit/wait.ts';

const APP_PORT = 8080;
/** Of a sidecar: printed, not asserted. */
const SIDECAR_GOAL_MS = 2 * EFFECT_GOAL_MS;
/** What the sidecar asks for, and its user. */
const SIDECAR = { program: '/app/gateway.js', mebibytes: 128, user: 64_787 } as const;
/** As OpenShift does it: the first user of the namespace's range for all that name none, the group of root, a group of the volumes. */
const PLATFORM = {
  range: '1000660000/10000',
  second: 1_000_660_001,
  pod: { securityContext: { runAsUser: 1_000_660_000, runAsGroup: 0, fsGroup: 1_000_660_000 } },
} as const;
const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

const injected = z.object({
  spec: z.object({
    initContainers: z.array(z.object({ securityContext: z.object({ runAsUser: z.number() }) })),
  }),
});
const answer = z.object({ text: z.string().optional(), model: z.string().optional(), error: z.string().optional() });

export function sidecars(controlPlane: () => ControlPlaneAccess): void {
  describe('an application with a sidecar', () => {
    test('calls its provider without a key, sees edits, reaches nothing of others and needs no operator', async () => {
      const cluster = controlPlane();
      await createTeam(cluster, {
        objects: (namespace) => [
          resource('GatewayConfig', { namespace, name: 'theirs' }, { config: { provider: '@theirs' } }),
          virtualKey(namespace, 'theirs', 'openai'),
        ],
      });
      const team = await createSidecarTeam(cluster);
      const app = await startApp(cluster, team.name);

      expect(await app.ask('/ask')).toMatchObject({ status: 200, text: expect.stringContaining('Say hello') });
      expect(await app.ask('/env', { name: 'OPENAI_BASE_URL' })).toMatchObject({
        text: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
      });
      expect(await app.ask('/ask', { 'x-gw-config': 'main' })).toMatchObject({ status: 200 });
      for (const header of ['x-gw-config', 'x-gw-virtual-key']) {
        const { status } = await app.ask('/ask', { [header]: 'theirs' });
        expect([400, 403, 404], header).toContain(status);
      }
      await expectNoSecrets(cluster, team.name, app);
      await sidecarSeesEdits(cluster, team.name, app);
      await jobEnds(cluster, team.name);
      expectAsDeclared(app);
      await servesAlone(cluster, team.name, app);
    });

    test('runs as a user of the range that the platform gives its namespace', async () => {
      const cluster = controlPlane();
      const { name } = await createSidecarTeam(cluster);
      await runKubectl(cluster, ['annotate', 'namespace', name, `openshift.io/sa.scc.uid-range=${PLATFORM.range}`]);
      await eventually(
        'a sidecar of the range',
        async () => (await userOfNewSidecar(cluster, name)) === PLATFORM.second,
      );
      const app = await startApp(cluster, name, PLATFORM.pod);
      expect(processOf(SIDECAR.program, app.pod).user).toBe(PLATFORM.second);
      expect(await app.ask('/ask')).toMatchObject({ status: 200 });
    });

    test('gets a new one when it hangs', async () => {
      const cluster = controlPlane();
      const team = await createSidecarTeam(cluster);
      const app = await startApp(cluster, team.name);
      killProgram(SIDECAR.program, app.pod, 'SIGSTOP');
      await eventually('the sidecar anew', async () => (await restartsOf(cluster, team.name, app)) > 0);
      await eventually('the sidecar serves', async () => (await app.ask('/ask')).status === 200);
    });
  });
}

/** A workspace whose namespace has opted in to sidecars, with a profile that is served. */
export async function createSidecarTeam(cluster: ControlPlaneAccess): Promise<Team> {
  const team = await createTeam(cluster, {
    labels: { 'gatehouse.dev/injection': 'enabled' },
    objects: (namespace) => [resource('SidecarProfile', { namespace, name: 'default' }, {})],
  });
  await eventually('the profile is ready', async () =>
    isTrue(await readObject(cluster, pathOf(GATEHOUSE, team.name, 'sidecarprofiles/default')), 'Ready'),
  );
  return team;
}

/** The user of the sidecar that a pod would get now. */
async function userOfNewSidecar(cluster: ControlPlaneAccess, namespace: string): Promise<unknown> {
  const body = {
    metadata: { name: 'asked', labels: { 'gatehouse.dev/sidecar': 'default' } },
    spec: { ...PLATFORM.pod, containers: [{ name: 'app', image: APP_IMAGE }] },
  };
  const answer = await cluster.request('POST', `${corePath(namespace, 'pods')}?dryRun=All`, { body });
  return injected.parse(answer.body).spec.initContainers[0]?.securityContext.runAsUser;
}

interface App {
  readonly pod: string;
  ask(path: string, query?: Readonly<Record<string, string>>): Promise<z.infer<typeof answer> & { status: number }>;
}

/** A Deployment as an application team writes it: it names the profile, and nothing else of Gatehouse. */
export async function startApp(cluster: ControlPlaneAccess, namespace: string, pod: object = {}): Promise<App> {
  const labels = { app: 'checkout' };
  await applyObjects(cluster, [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace, name: 'checkout' },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels: { ...labels, 'gatehouse.dev/sidecar': 'default' } },
          spec: {
            ...pod,
            containers: [
              {
                name: 'app',
                image: APP_IMAGE,
                readinessProbe: { httpGet: { path: '/', port: APP_PORT }, periodSeconds: 1 },
              },
            ],
          },
        },
      },
    },
  ]);
  await runKubectl(cluster, ['-n', namespace, 'rollout', 'status', 'deployment/checkout', '--timeout=300s']);
  const fields = '{.items[0].metadata.name} {.items[0].status.podIP}';
  const select = ['-n', namespace, 'get', 'pods', '-l', 'app=checkout', '-o', `jsonpath=${fields}`];
  const [name = '', ip] = (await runKubectl(cluster, select)).split(' ');
  const origin = `http://${ip}:${APP_PORT}`;
  const ask: App['ask'] = async (path, query = {}) => {
    const { statusCode, body } = await request(`${origin}${path}?${new URLSearchParams(query)}`);
    return { status: statusCode, ...answer.parse(JSON.parse(await body.text())) };
  };
  await eventually('an application that is answered', async () => (await ask('/ask')).status === 200);
  return { pod: name, ask };
}

/** Neither by the API rights of the application nor by the files of its pod. */
async function expectNoSecrets(cluster: ControlPlaneAccess, namespace: string, app: App): Promise<void> {
  const { text: token = '' } = await app.ask('/file', { path: SERVICE_ACCOUNT_TOKEN });
  expect(token).not.toBe('');
  for (const resourceName of ['secrets', 'secrets/provider', 'secrets/gatehouse-sidecar-snapshot']) {
    const { status } = await cluster.request('GET', corePath(namespace, resourceName), { token });
    expect(status, resourceName).toBe(403);
  }
  for (const path of ['/var/run/secrets/gatehouse/token', '/etc/gatehouse/snapshot/secret/snapshot.json.gz']) {
    expect(await app.ask('/file', { path }), path).toMatchObject({ status: 500 });
  }
  const credential = textAt(await readObject(cluster, corePath(namespace, 'secrets/provider')), 'data', 'api-key');
  expect(credential).not.toBe('');
  const { text: key } = await app.ask('/env', { name: 'OPENAI_API_KEY' });
  expect(key).not.toBe(Buffer.from(credential, 'base64').toString());
}

/** The gateway is there before the first program of the pod, and does not keep the pod from ending after the last. */
async function jobEnds(cluster: ControlPlaneAccess, namespace: string): Promise<void> {
  const program = { image: APP_IMAGE, args: ['--once'] };
  const spec = {
    restartPolicy: 'Never',
    initContainers: [{ name: 'before', ...program }],
    containers: [{ name: 'app', ...program }],
  };
  const template = { metadata: { labels: { 'gatehouse.dev/sidecar': 'default' } }, spec };
  const metadata = { namespace, name: 'nightly' };
  await applyObjects(cluster, [{ apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { backoffLimit: 0, template } }]);
  await runKubectl(cluster, ['-n', namespace, 'wait', '--for=condition=Complete', 'job/nightly', '--timeout=300s']);
}

/** Without an operator there is no stream: a sidecar that has to start serves the mounted copy. */
async function servesAlone(cluster: ControlPlaneAccess, namespace: string, app: App): Promise<void> {
  await scaleOperator(cluster, 0);
  expect(await app.ask('/ask')).toMatchObject({ status: 200 });
  const before = await restartsOf(cluster, namespace, app);
  killProgram(SIDECAR.program, app.pod);
  await eventually('the sidecar anew', async () => (await restartsOf(cluster, namespace, app)) > before);
  await eventually('the sidecar serves', async () => (await app.ask('/ask')).status === 200);
  await scaleOperator(cluster, 2);
}

async function restartsOf(cluster: ControlPlaneAccess, namespace: string, { pod }: App): Promise<number> {
  const path = 'jsonpath={.status.initContainerStatuses[0].restartCount}';
  return Number(await runKubectl(cluster, ['-n', namespace, 'get', 'pod', pod, '-o', path]));
}

function expectAsDeclared({ pod }: App): void {
  const { user, residentMebibytes } = processOf(SIDECAR.program, pod);
  console.log(`a sidecar that has served uses ${Math.round(residentMebibytes)} MiB`);
  expect(residentMebibytes).toBeLessThan(SIDECAR.mebibytes);
  expect(user).toBe(SIDECAR.user);
}

async function sidecarSeesEdits(cluster: ControlPlaneAccess, namespace: string, app: App): Promise<void> {
  const times: number[] = [];
  for (const model of ['model-1', 'model-2', 'model-3', 'model-4', 'model-5']) {
    await mergePatch(cluster, pathOf(GATEHOUSE, namespace, 'gatewayconfigs/main'), {
      spec: { config: { overrideParams: { model } } },
    });
    times.push(...(await timesUntil([app], async () => (await app.ask('/ask')).model === model)));
  }
  say('an edited config, in a sidecar', times, SIDECAR_GOAL_MS);
}
