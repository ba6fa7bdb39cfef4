/** Argo CD itself installs Gatehouse and the resources of a team from a repository; the operator runs as a process. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '@gatehouse/crds';
import { GROUP } from '@gatehouse/crds/kinds';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { ARGO_MODULE, foreignDefinitions } from '../chart/foreign-definitions.ts';
import { at, definitionsServed, FLEET_NAMESPACE, manifest, NAMESPACE } from '../chart/helm.ts';
import { APPLY_PATCH, type ControlPlane, runKubectl, startControlPlane } from '../cluster/index.ts';
import { waitFor } from '../kit/wait-for.ts';
import { kubeconfigOf, reportPod, runPods, startOperator } from '../operator/operator/support.ts';
import { ARGO_NAMESPACE, type Argo, createRepository, type Repository, startArgo } from './argo.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLE = join(ROOT, 'charts/argo/applications.yaml');
const HEALTH = join(ROOT, 'charts/argo/argocd-cm.yaml');
const OPENAI = '/apis/gatehouse.dev/v1alpha1/namespaces/team-a/virtualkeys/openai';
const APPLICATIONS = `/apis/argoproj.io/v1alpha1/namespaces/${ARGO_NAMESPACE}/applications`;

let controlPlane: ControlPlane;
let argo: Argo;
let repository: Repository;
let folder: string;
const running = new AsyncDisposableStack();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-gitops-'));
  controlPlane = await startControlPlane();
  await runKubectl(controlPlane, ['create', 'namespace', ARGO_NAMESPACE]);
  const files = (await foreignDefinitions([ARGO_MODULE])).flatMap((file) => ['-f', file]);
  await runKubectl(controlPlane, ['apply', '--server-side', `--namespace=${ARGO_NAMESPACE}`, ...files]);
  await definitionsServed(controlPlane);
  await runKubectl(controlPlane, [
    ...['patch', 'configmap', 'argocd-cm', `--namespace=${ARGO_NAMESPACE}`],
    `--patch-file=${HEALTH}`,
  ]);
  await apply(`/apis/argoproj.io/v1alpha1/namespaces/${ARGO_NAMESPACE}/appprojects/default`, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'default' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ namespace: '*', server: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    },
  });
  repository = await createRepository();
  await cp(join(ROOT, 'examples/team-a'), join(repository.folder, 'team-a'), { recursive: true });
  for (const name of ['gatehouse', 'gatehouse-crds']) {
    await cp(join(ROOT, 'charts', name), join(repository.folder, 'charts', name), { recursive: true });
  }
  await repository.commit();
  argo = await startArgo(controlPlane);
});
afterAll(async () => {
  await running.disposeAsync();
  await rm(folder, { recursive: true, force: true });
  await argo[Symbol.asyncDispose]();
  await repository[Symbol.asyncDispose]();
  await controlPlane[Symbol.asyncDispose]();
});

async function apply(path: string, body: unknown): Promise<void> {
  const options = { contentType: APPLY_PATCH, body };
  const { status, body: answer } = await controlPlane.request('PATCH', `${path}?fieldManager=test&force=true`, options);
  expect(status, JSON.stringify(answer)).toBeLessThan(300);
}

async function merge(path: string, body: unknown): Promise<void> {
  const { status } = await controlPlane.request('PATCH', path, { contentType: 'application/merge-patch+json', body });
  expect(status).toBe(200);
}

/** The documented Application, from the repository of this test and with shorter waits. */
async function createDocumented(name: string): Promise<void> {
  const documents = parseAllDocuments(await readFile(EXAMPLE, 'utf8')).map((document) =>
    manifest.parse(document.toJS()),
  );
  const object = documents.find(({ metadata }) => metadata.name === name);
  const { spec } = Object(object);
  const retry = { ...spec.syncPolicy.retry, backoff: { duration: '1s', factor: 1, maxDuration: '1s' } };
  await apply(`${APPLICATIONS}/${name}`, {
    ...object,
    spec: { ...spec, source: { ...spec.source, repoURL: repository.url }, syncPolicy: { ...spec.syncPolicy, retry } },
  });
}

interface Resource {
  readonly group?: string;
  readonly kind: string;
  readonly name: string;
  readonly status?: string;
  readonly health?: { readonly status: string; readonly message?: string };
}

interface Verdict {
  readonly sync: string | undefined;
  readonly health: string | undefined;
  readonly revision: string | undefined;
  readonly operation: string | undefined;
  readonly message: string | undefined;
  /** What the operation did to each resource so far. */
  readonly results: readonly string[];
  readonly resources: readonly Resource[];
}

function listAt(object: unknown, path: string): readonly Readonly<Record<string, unknown>>[] {
  const list = at(object, path);
  return Array.isArray(list) ? list.filter(isObject) : [];
}

async function verdictOf(name: string): Promise<Verdict> {
  const { body } = await controlPlane.request('GET', `${APPLICATIONS}/${name}`);
  const text = (path: string): string | undefined => {
    const value = at(body, `status.${path}`);
    return value === undefined ? undefined : String(value);
  };
  return {
    sync: text('sync.status'),
    health: text('health.status'),
    revision: text('sync.revision'),
    operation: text('operationState.phase'),
    message: text('operationState.message'),
    results: listAt(body, 'status.operationState.syncResult.resources').map((result) => String(result['message'])),
    resources: (at(body, 'status.resources') ?? []) as readonly Resource[], // as its definition says
  };
}

/** Waits until the Application is as wanted. */
async function becomes(name: string, wanted: (verdict: Verdict) => boolean): Promise<Verdict> {
  let last: Verdict | undefined;
  try {
    return await waitFor(
      async () => {
        last = await verdictOf(name);
        return wanted(last) ? last : undefined;
      },
      { deadlineMs: 240_000 }, // it looks at definitions every ten seconds
    );
  } catch {
    const others = last?.resources.filter(({ status, health }) => status !== 'Synced' || health?.status !== 'Healthy');
    throw new Error(`${name} stayed ${JSON.stringify({ ...last, resources: others })}: ${argo.log().slice(-3_000)}`);
  }
}

const isSynced = ({ sync }: Verdict): boolean => sync === 'Synced';
const isWell = (verdict: Verdict): boolean => isSynced(verdict) && verdict.health === 'Healthy';

/** Has Argo CD look again, as its API server does when a repository calls its webhook. */
async function refresh(name: string): Promise<void> {
  const annotation = 'argocd.argoproj.io/refresh';
  await merge(`${APPLICATIONS}/${name}`, { metadata: { annotations: { [annotation]: 'normal' } } });
  const isAsked = async (): Promise<boolean> => {
    const { metadata } = manifest.parse((await controlPlane.request('GET', `${APPLICATIONS}/${name}`)).body);
    return metadata.annotations?.[annotation] !== undefined;
  };
  await waitFor(async () => !(await isAsked()), { what: `a look at ${name}` });
}

/** Plays the kubelet for the pods of a namespace. */
async function reportPods(namespace: string, count: number): Promise<void> {
  const pods = await waitFor(
    async () => {
      const { body } = await controlPlane.request('GET', `/api/v1/namespaces/${namespace}/pods`);
      const names = listAt(body, 'items').map((pod) => String(at(pod, 'metadata.name')));
      return names.length >= count ? names : undefined;
    },
    { what: `pods of ${namespace}` },
  );
  for (const name of pods) await reportPod(controlPlane, { namespace, name, ip: '127.0.0.1' }, true);
}

const ours = (resources: readonly Resource[]): readonly Resource[] => resources.filter(({ group }) => group === GROUP);

const FILLED = [
  `/api/v1/namespaces/${NAMESPACE}/secrets/gatehouse-webhook-certificate`,
  `/api/v1/namespaces/${NAMESPACE}/secrets/gatehouse-redis-password`,
  `/api/v1/namespaces/${NAMESPACE}/secrets/gatehouse-postgres-password`,
  `/api/v1/namespaces/${NAMESPACE}/secrets/gatehouse-management-certificate`,
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/gatehouse-validating',
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/gatehouse-injection',
];

const filled = z.looseObject({ data: z.unknown().optional(), webhooks: z.unknown().optional() });

/** Objects that the chart installs empty. */
async function readFilled() {
  const answers = await Promise.all(FILLED.map((path) => controlPlane.request('GET', path)));
  return answers.map(({ body }) => filled.parse(body));
}

/** Changes a file of the team; the answer changes it back. */
async function edit(name: string, from: string, to: string): Promise<() => Promise<void>> {
  const path = join(repository.folder, 'team-a', name);
  const text = await readFile(path, 'utf8');
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
  return () => writeFile(path, text);
}

/** Commits and tells Argo CD; gives the revision. */
async function push(): Promise<string> {
  const revision = await repository.commit();
  await refresh('team-a');
  return revision;
}

/** Gatehouse as its chart has installed it: pods that are said to be ready, the operator with its own rights, and two pods of the default fleet. */
async function runGatehouse(): Promise<void> {
  const token = await controlPlane.serviceAccountToken(NAMESPACE, 'gatehouse-operator');
  const kubeconfigPath = join(folder, 'operator.kubeconfig');
  await writeFile(kubeconfigPath, kubeconfigOf(controlPlane, token));
  const places = ['--organisation-namespace', NAMESPACE, '--fleet-namespaces', FLEET_NAMESPACE];
  const parts = ['--management-service-account', 'gatehouse-management'];
  running.use(
    await startOperator({ kubeconfigPath, args: [...places, ...parts, '--webhook-url', 'https://127.0.0.1:0'] }),
  );
  await reportPods(NAMESPACE, 5);
  const fleet = { cluster: controlPlane, fleets: FLEET_NAMESPACE, fleet: 'default', folder };
  for (const pod of await runPods(fleet, { count: 2 })) running.use(pod);
}

test('all is applied in any order, and what no operator has seen is progressing', async () => {
  for (const name of ['team-a', 'gatehouse', 'gatehouse-crds']) await createDocumented(name);
  await becomes('gatehouse-crds', isWell);
  await becomes('gatehouse', isSynced);
  const { health, resources } = await becomes('team-a', isSynced);
  expect(health).toBe('Progressing');
  expect(new Set(ours(resources).map((resource) => resource.health?.message))).toEqual(
    new Set(['Waiting for the operator']),
  );
});

test('it is healthy once it is served, every resource by our checks', async () => {
  await runGatehouse();
  await becomes('gatehouse', isWell);
  const { resources } = await becomes('team-a', isWell);
  const kinds = new Set(ours(resources).map(({ kind }) => kind));
  expect(kinds).toEqual(new Set(['ApiKey', 'GatewayConfig', 'Guardrail', 'VirtualKey', 'Workspace']));
  expect(ours(resources).filter((resource) => resource.health?.status !== 'Healthy')).toEqual([]);
});

test('what the operator fills in is no drift', async () => {
  const before = await waitFor(
    async () => {
      const objects = await readFilled();
      return objects.every(({ data, webhooks }) => (data ?? webhooks) !== undefined) ? objects : undefined;
    },
    { what: 'a certificate and webhooks' },
  );
  await refresh('gatehouse');
  expect((await verdictOf('gatehouse')).sync).toBe('Synced');
  expect(await readFilled()).toEqual(before);
});

test('a change by hand is found, and undone where Argo CD may', async () => {
  const heal = (selfHeal: boolean): Promise<void> =>
    merge(`${APPLICATIONS}/team-a`, { spec: { syncPolicy: { automated: { selfHeal } } } });
  const customHost = async (): Promise<unknown> =>
    at((await controlPlane.request('GET', OPENAI)).body, 'spec.customHost');
  const declared = await customHost();
  await heal(false);
  await refresh('team-a'); // so that it knows
  await merge(OPENAI, { spec: { customHost: 'https://elsewhere.example/v1' } });
  const { resources } = await becomes('team-a', ({ sync }) => sync === 'OutOfSync');
  expect(resources.filter(({ status }) => status !== 'Synced').map(({ kind, name }) => [kind, name])).toEqual([
    ['VirtualKey', 'openai'],
  ]);
  await heal(true);
  await becomes('team-a', isWell);
  expect(await customHost()).toBe(declared);
});

test('an object that needs a person makes it degraded, with the reason, and its mending healthy again', async () => {
  const mend = await edit('providers.yaml', 'name: openai\n    key: api-key', 'name: nowhere\n    key: api-key');
  const broken = await push();
  const { resources } = await becomes('team-a', ({ health, revision }) => health === 'Degraded' && revision === broken);
  const degraded = resources.filter((resource) => resource.health?.status === 'Degraded');
  expect(degraded.map(({ kind, name }) => [kind, name])).toEqual([['VirtualKey', 'openai']]);
  expect(degraded[0]?.health?.message).toContain('nowhere');
  await mend();
  const mended = await push();
  await becomes('team-a', (verdict) => isWell(verdict) && verdict.revision === mended);
});

test('an object that is refused fails the sync with its place, until a commit mends it', async () => {
  const mend = await edit('configs/cached.yaml', 'maxAge: 3600', 'maxAge: -1');
  await push();
  await becomes('team-a', ({ message }) => message?.includes('spec.config.cache.maxAge') === true);
  await mend();
  const mended = await push();
  await becomes(
    'team-a',
    (verdict) => isWell(verdict) && verdict.operation === 'Succeeded' && verdict.revision === mended,
  );
});

test('what the repository no longer holds goes, except while another object names it', async () => {
  const removed = async (paths: readonly string[]): Promise<string> => {
    for (const path of paths) await rm(join(repository.folder, 'team-a', path), { recursive: true });
    return push();
  };
  await removed(['providers.yaml']);
  await becomes('team-a', ({ results }) => results.some((text) => text.includes('openai is used by GatewayConfig')));
  expect(await namesOf('virtualkeys')).toContain('virtualkey.gatehouse.dev/openai');

  await edit('workspace.yaml', '    configRef:\n      name: by-endpoint\n', '');
  const emptied = await removed(['keys.yaml', 'configs', 'guardrails.yaml']);
  const { resources } = await becomes('team-a', (verdict) => isWell(verdict) && verdict.revision === emptied);
  expect(ours(resources).map(({ kind }) => kind)).toEqual(['Workspace']);
  const gone = ['apikeys', 'virtualkeys', 'gatewayconfigs', 'guardrails'];
  for (const plural of gone) expect(await namesOf(plural)).toEqual([]);
});

const namesOf = async (plural: string): Promise<string[]> =>
  (await runKubectl(controlPlane, ['get', `${plural}.${GROUP}`, '--namespace=team-a', '--output=name']))
    .split('\n')
    .filter((name) => name !== '');
