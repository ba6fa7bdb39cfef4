/** Install, upgrade, roll back and remove, on an API server without nodes: objects are what is tested here. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { APPLY_PATCH, type ControlPlane, runKubectl, startControlPlane } from '../cluster/index.ts';
import { waitFor } from '../kit/wait-for.ts';
import {
  at,
  CHART,
  CRD_CHART,
  definitionsServed,
  FLEET_NAMESPACE,
  helm,
  idOf,
  type Manifest,
  manifest,
  NAMESPACE,
  RELEASE,
  runHelm,
} from './helm.ts';

let controlPlane: ControlPlane;
/** What the cluster held before us. */
let untouched: ReadonlyMap<string, string>;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  untouched = await everything();
});
afterAll(() => controlPlane[Symbol.asyncDispose]());

const inCluster = (...args: readonly string[]): Promise<string> =>
  runHelm([...args], { kubeconfig: controlPlane.kubeconfigPath });
const upgrade = (chart: string = CHART): Promise<string> =>
  inCluster('upgrade', '--install', RELEASE, chart, '--namespace', NAMESPACE, '--create-namespace');

/** Kinds of objects that the cluster makes, and the records of Helm. */
const IGNORED =
  /^(events|endpoints|endpointslices|pods|replicasets|controllerrevisions|apiservices|componentstatuses)$/;
const RELEASE_SECRET = 'sh.helm.release.v1.';

const list = z.looseObject({ items: z.array(manifest) });

/** Every object by `Kind/namespace/name`, with its content: statuses of workloads change when their controllers come to it. */
async function everything(): Promise<Map<string, string>> {
  const names = await runKubectl(controlPlane, ['api-resources', '--verbs=list', '--output=name']);
  const resources = names.split('\n').filter((name) => name !== '' && !IGNORED.test(name.split('.')[0] ?? ''));
  const answer = await runKubectl(controlPlane, [
    'get',
    resources.join(','),
    '--all-namespaces',
    '--show-managed-fields',
    '--output=json',
  ]);
  const objects = list
    .parse(JSON.parse(answer))
    .items.filter(({ metadata }) => !metadata.name.startsWith(RELEASE_SECRET));
  return new Map(objects.map((object) => [idOf(object), contentOf(object)]));
}

const isOfStatus = (entry: unknown): boolean => at(entry, 'subresource') === 'status';

/** All but the status and what comes with each write of one; who has written what and when is part of it. */
function contentOf({ status: _, metadata, ...object }: Manifest): string {
  const { resourceVersion: __, managedFields, ...identity } = metadata;
  const written = Array.isArray(managedFields) ? managedFields.filter((entry) => !isOfStatus(entry)) : [];
  return JSON.stringify({ ...object, metadata: { ...identity, managedFields: written } });
}

/** Objects that are ours by their names; leases and heartbeats of the control plane move all the time. */
const ours = async (): Promise<[string, string][]> =>
  [...(await everything())].filter(([id]) => id.includes('gatehouse')).sort(([a], [b]) => a.localeCompare(b));

async function get(path: string): Promise<unknown> {
  const { status, body } = await controlPlane.request('GET', path);
  return status === 404 ? undefined : body;
}

const DEPLOYMENT = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/gatehouse-operator`;
const LEASE = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/gatehouse-operator`;
const CERTIFICATE = `/api/v1/namespaces/${NAMESPACE}/secrets/gatehouse-webhook-certificate`;
const VALIDATING = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/gatehouse-validating';
const FLEET = `/apis/gatehouse.dev/v1alpha1/namespaces/${FLEET_NAMESPACE}/gatewayfleets/default`;
const POSTGRES = `/apis/apps/v1/namespaces/${NAMESPACE}/statefulsets/gatehouse-postgres`;
const MANAGEMENT = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/gatehouse-management`;
const PASSWORDS = `/api/v1/namespaces/${NAMESPACE}/secrets/gatehouse-postgres-password`;
const VOLUME_SIZE = 'spec.volumeClaimTemplates.0.spec.resources.requests.storage';
const LOGS_URL = { name: 'gatehouse-postgres', key: 'logsUrl' };
const OLD_OBJECT = `/api/v1/namespaces/${NAMESPACE}/configmaps/gatehouse-old`;

/** What versions had that could read every Secret and make Deployments everywhere. */
const OLD_RIGHTS = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'gatehouse-operator' },
    rules: [
      { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'watch', 'create', 'patch', 'delete'] },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['create', 'patch'] },
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'gatehouse-operator' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'gatehouse-operator' },
    subjects: [{ kind: 'ServiceAccount', name: 'gatehouse-operator', namespace: NAMESPACE }],
  },
];

/** What the operator may do in a namespace: read a Secret, run a pod. */
async function rightsIn(namespace: string): Promise<{ readonly secrets: unknown; readonly deployments: unknown }> {
  const asks = async (about: object): Promise<unknown> => {
    const user = `system:serviceaccount:${NAMESPACE}:gatehouse-operator`;
    const review = { spec: { user, resourceAttributes: { namespace, ...about } } };
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    return at((await controlPlane.request('POST', path, { body: review })).body, 'status.allowed');
  };
  return {
    secrets: await asks({ verb: 'get', resource: 'secrets' }),
    deployments: await asks({ verb: 'create', group: 'apps', resource: 'deployments' }),
  };
}

const ALL = { secrets: true, deployments: true };
const NONE = { secrets: false, deployments: false };

/** The authorizer sees bindings a moment later. */
const becomesIn = (namespace: string, wanted: Awaited<ReturnType<typeof rightsIn>>): Promise<unknown> =>
  waitFor(async () => JSON.stringify(await rightsIn(namespace)) === JSON.stringify(wanted), {
    what: `${JSON.stringify(wanted)} in ${namespace}`,
  });

/** Defaults of versions without a management API of their own accord, as they were in values.yaml. */
const OLD_DEFAULTS = [
  { path: ['management', 'enabled'], value: false },
  { path: ['postgres', 'persistence', 'size'], value: '1Gi' },
  { path: ['records', 'postgres', 'enabled'], value: false },
];

/** The chart as a release before this one: older, with an object that is gone since and fewer parts by default. */
async function withOldChart<T>(use: (chart: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-old-chart-'));
  try {
    await cp(CHART, folder, { recursive: true });
    const chart = await readFile(join(folder, 'Chart.yaml'), 'utf8');
    await writeFile(join(folder, 'Chart.yaml'), chart.replaceAll(/ersion: [0-9.]+$/gm, 'ersion: 0.0.9'));
    const values = parseDocument(await readFile(join(folder, 'values.yaml'), 'utf8'));
    for (const { path, value } of OLD_DEFAULTS) values.setIn(path, value);
    await writeFile(join(folder, 'values.yaml'), values.toString());
    const old = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'gatehouse-old', namespace: NAMESPACE } };
    await writeFile(join(folder, 'templates/old.yaml'), JSON.stringify(old));
    for (const object of OLD_RIGHTS) {
      await writeFile(join(folder, `templates/old-${object.kind}.yaml`), JSON.stringify(object));
    }
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const image = async (): Promise<unknown> => at(await get(DEPLOYMENT), 'spec.template.spec.containers.0.image');

/** In place of the operator: writes a part of an object and gives the whole. */
async function played(path: string, part: object): Promise<unknown> {
  const options = { body: part, contentType: 'application/merge-patch+json' };
  const { status, body } = await controlPlane.request('PATCH', path, options);
  expect(status).toBe(200);
  return body;
}

/** What an operator and a webhook that is down leave in the objects that the chart installs empty. */
async function workAsOperator(): Promise<void> {
  const apply = async (path: string, body: Record<string, unknown>): Promise<void> => {
    const answer = await controlPlane.request('PATCH', `${path}?fieldManager=gatehouse-operator&force=true`, {
      contentType: APPLY_PATCH,
      body,
    });
    expect(answer).toMatchObject({ status: 200 });
  };
  const here = (name: string) => ({ metadata: { name, namespace: NAMESPACE } });
  await apply(LEASE, {
    ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...here('gatehouse-operator') },
    spec: { holderIdentity: 'one', leaseDurationSeconds: 15 },
  });
  await apply(CERTIFICATE, {
    ...{ apiVersion: 'v1', kind: 'Secret', ...here('gatehouse-webhook-certificate') },
    data: { 'tls.crt': 'YQ==' },
  });
  await apply(VALIDATING, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'gatehouse-validating' },
    webhooks: [
      {
        name: 'resources.gatehouse.dev',
        clientConfig: { url: 'https://127.0.0.1:1/validate' },
        rules: [
          {
            apiGroups: ['gatehouse.dev'],
            apiVersions: ['v1alpha1'],
            operations: ['DELETE'],
            resources: ['gatewayfleets'],
          },
        ],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        failurePolicy: 'Fail',
      },
    ],
  });
}

test('a release before this one comes first', async () => {
  await inCluster('install', 'gatehouse-crds', CRD_CHART, '--namespace', NAMESPACE, '--create-namespace');
  await definitionsServed(controlPlane);
  await withOldChart(upgrade);
  expect(await image()).toBe('gatehouse-operator:0.0.9');
  expect(await get(FLEET)).toMatchObject({ kind: 'GatewayFleet' });
  expect(await get(MANAGEMENT)).toBeUndefined();
});

test.for([
  { role: 'view', verb: 'list', resource: 'apikeys', allowed: true },
  { role: 'view', verb: 'list', resource: 'gatewayfleets', allowed: true },
  { role: 'view', verb: 'create', resource: 'apikeys', allowed: false },
  { role: 'edit', verb: 'create', resource: 'gatewayconfigs', allowed: true },
  { role: 'edit', verb: 'delete', resource: 'virtualkeys', allowed: true },
  { role: 'edit', verb: 'create', resource: 'gatewayfleets', allowed: false },
  { role: 'edit', verb: 'patch', resource: 'sidecarprofiles', allowed: false },
  { role: 'admin', verb: 'create', resource: 'gatewayfleets', allowed: true },
  { role: 'admin', verb: 'patch', resource: 'sidecarprofiles', allowed: true },
])('an account with the role $role of a namespace may $verb $resource there: $allowed', async (given) => {
  const { role, verb, resource, allowed } = given;
  const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
  const name = `${role}-of-${resource}`;
  const user = `${name}-user`;
  const binding = {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  };
  expect(await controlPlane.request('POST', bindings, { body: binding })).toMatchObject({ status: 201 });
  const asks = async (about: object): Promise<unknown> => {
    const resourceAttributes = { namespace: 'default', group: 'gatehouse.dev', ...about };
    const review = { spec: { user, resourceAttributes } };
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    return at((await controlPlane.request('POST', path, { body: review })).body, 'status.allowed');
  };
  try {
    // Every role may read: once that holds, the rules have been aggregated and the binding is known.
    await waitFor(() => asks({ verb: 'get', resource: 'gatewayconfigs' }).then((answer) => answer === true));
    // The rules of a role come from several others, one after the other.
    await waitFor(async () => (await asks({ verb, resource })) === allowed, { what: `the answer ${allowed}` });
  } finally {
    await controlPlane.request('DELETE', `${bindings}/${name}`);
  }
});

test('the upgrade changes what changed and removes what is gone', async () => {
  await upgrade();
  expect(await image()).toBe('gatehouse-operator:0.1.0');
  expect(await get(OLD_OBJECT)).toBeUndefined();
});

test('it brings the management API and a request log in a PostgreSQL of its own', async () => {
  expect(await get(MANAGEMENT)).toMatchObject({ kind: 'Deployment' });
  expect(at(await get(POSTGRES), VOLUME_SIZE)).toBe('8Gi');
  expect(at(await get(FLEET), 'spec.records.postgres')).toEqual({ urlSecretRef: LOGS_URL, maxMebibytes: 5_120 });
});

test('the roll-back brings the release before', async () => {
  await inCluster('rollback', RELEASE, '1', '--namespace', NAMESPACE);
  expect(await image()).toBe('gatehouse-operator:0.0.9');
  expect(await get(OLD_OBJECT)).toBeDefined();
  expect([await get(POSTGRES), await get(MANAGEMENT)]).toEqual([undefined, undefined]);
});

test('an upgrade takes back the rights of the operator in all namespaces, and prints the command to run', async () => {
  await becomesIn('default', ALL);
  const notes = await upgrade();
  expect(notes).toContain('UPGRADE: the operator could read all Secrets until now');
  await becomesIn('default', NONE);
  await becomesIn('kube-system', NONE);
  await becomesIn(FLEET_NAMESPACE, ALL);
  await becomesIn(NAMESPACE, { secrets: true, deployments: false });
  const grant = `--clusterrole=gatehouse-workspace-secrets --serviceaccount=${NAMESPACE}:gatehouse-operator`;
  expect(notes).toContain(grant);
  const [, line = ''] =
    new RegExp(`(kubectl create rolebinding \\S+ --namespace )NAMESPACE ${grant}`).exec(notes) ?? [];
  await runKubectl(controlPlane, [...line.trim().split(' ').slice(1), 'default', ...grant.split(' ')]);
  await becomesIn('default', { secrets: true, deployments: false });
  await runKubectl(controlPlane, ['delete', 'rolebinding', 'gatehouse-workspace-secrets', '--namespace', 'default']);
});

test('secrets.clusterWide is the old right on Secrets until it is set to false', async () => {
  const withAll = (value: boolean): Promise<string> =>
    inCluster('upgrade', RELEASE, CHART, '--namespace', NAMESPACE, '--set', `secrets.clusterWide=${value}`);
  expect(await withAll(true)).toContain('WARNING');
  await becomesIn('default', { secrets: true, deployments: false });
  const notes = await withAll(false);
  expect(notes).toContain('UPGRADE: the operator could read all Secrets until now');
  expect(notes).not.toContain('WARNING');
  await becomesIn('default', NONE);
});

test('an upgrade leaves a PostgreSQL of before, its volume and its passwords as they are', async () => {
  const manage = (chart: string, value: boolean): Promise<string> =>
    inCluster('upgrade', RELEASE, chart, '--namespace', NAMESPACE, '--set', `management.enabled=${value}`);
  await manage(CHART, false);
  await withOldChart((chart) => manage(chart, true));
  const data = { password: 'YQ==' };
  const [server, secret] = [await get(POSTGRES), await played(PASSWORDS, { data })];
  expect(at(server, VOLUME_SIZE)).toBe('1Gi');
  expect(at(await get(FLEET), 'spec.records')).toBeUndefined();

  await upgrade();
  const upgraded = await get(POSTGRES);
  expect([at(upgraded, 'metadata.uid'), at(upgraded, VOLUME_SIZE)]).toEqual([at(server, 'metadata.uid'), '1Gi']);
  expect(at(await get(PASSWORDS), 'metadata.uid')).toBe(at(secret, 'metadata.uid'));
  expect(at(await get(PASSWORDS), 'data')).toEqual(data);
  expect(at(await get(FLEET), 'spec.records.postgres')).toEqual({ urlSecretRef: LOGS_URL, maxMebibytes: 640 });
});

test('an upgrade to the same changes nothing, nor what the operator has written', async () => {
  await upgrade();
  await inCluster('upgrade', '--install', 'gatehouse-crds', CRD_CHART, '--namespace', NAMESPACE);
  await workAsOperator();
  // The controllers of workloads write their first statuses a moment later.
  await waitFor(async () => at(await get(DEPLOYMENT), 'status.observedGeneration') !== undefined);
  const before = await settled();
  expect(await upgrade()).not.toContain('UPGRADE');
  await inCluster('upgrade', '--install', 'gatehouse-crds', CRD_CHART, '--namespace', NAMESPACE);
  expect(await ours()).toEqual(before);
});

/** Our objects once two looks at them are the same. */
async function settled(): Promise<[string, string][]> {
  let before = await ours();
  await waitFor(async () => {
    const now = await ours();
    const same = JSON.stringify(now) === JSON.stringify(before);
    before = now;
    return same;
  });
  return before;
}

/** In the place of a node: the hook has done its work. Gives what of the release was there at that moment. */
async function hookSucceeds(): Promise<readonly boolean[]> {
  const path = `/api/v1/namespaces/${NAMESPACE}/pods`;
  const selector = '?labelSelector=batch.kubernetes.io/job-name%3Dgatehouse-retirement';
  const name = await waitFor(
    async () => {
      const { body } = await controlPlane.request('GET', `${path}${selector}`);
      return at(body, 'items.0.metadata.name');
    },
    { what: 'the pod of the hook' },
  );
  const there = await Promise.all([DEPLOYMENT, LEASE, VALIDATING].map(async (it) => (await get(it)) !== undefined));
  const { status } = await controlPlane.request('PATCH', `${path}/${String(name)}/status`, {
    body: { status: { phase: 'Succeeded' } },
    contentType: 'application/merge-patch+json',
  });
  expect(status).toBe(200);
  return there;
}

test('nothing but the definitions stays when the release goes, also with a webhook that does not answer', async () => {
  const [there] = await Promise.all([
    hookSucceeds(),
    inCluster('uninstall', RELEASE, '--namespace', NAMESPACE, '--wait', '--timeout', '280s'),
  ]);
  expect(there).toEqual([true, true, true]);
  await runKubectl(controlPlane, ['delete', 'namespace', FLEET_NAMESPACE, '--timeout=300s']);
  await inCluster('uninstall', 'gatehouse-crds', '--namespace', NAMESPACE);
  await runKubectl(controlPlane, ['delete', 'namespace', NAMESPACE]);
  const left = [...(await everything()).keys()].filter((id) => !untouched.has(id));
  expect(left.filter((id) => !/^CustomResourceDefinition\/\/.*\.gatehouse\.dev$/.test(id))).toEqual([]);
  expect(left).toContain('CustomResourceDefinition//workspaces.gatehouse.dev');
});

test('an install after that takes the definitions over', async () => {
  await inCluster('install', 'gatehouse-crds', CRD_CHART, '--namespace', NAMESPACE, '--create-namespace');
  await upgrade();
  expect(await get(FLEET)).toMatchObject({ kind: 'GatewayFleet' });
});

test.for([
  { rule: 'of another name', name: 'second', namespace: NAMESPACE },
  { rule: 'in another namespace', name: RELEASE, namespace: 'second' },
])('a second release $rule is refused with what to do', async ({ name, namespace }) => {
  const second = ['install', name, CHART, '--namespace', namespace, '--create-namespace'];
  const { code, stderr } = await helm(second, { kubeconfig: controlPlane.kubeconfigPath });
  expect(code).toBe(1);
  expect(stderr).toContain(`this cluster already has Gatehouse: release ${RELEASE} in namespace ${NAMESPACE}`);
});
