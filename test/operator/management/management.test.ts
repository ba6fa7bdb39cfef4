/** The management API of a cluster, through gateways: what REST writes is in force everywhere, and nobody else's work is lost. */
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:https';
import { SCOPES } from '@gatehouse/crds/kinds';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MANAGEMENT_METRICS } from '../../../operator/src/app/management/metrics.ts';
import { type ControlPlane, installCustomResources, runKubectl, startControlPlane } from '../../cluster/index.ts';
import { grantRights, installShells } from '../operator/rights.ts';
import {
  apply,
  type KubeThing,
  type OperatorProcess,
  ours,
  type PodProcess,
  read,
  runPods,
  type Stage,
  secret,
  setStage,
  startOperator,
} from '../operator/support.ts';
import { ACCOUNT, type ManagementProcess, startManagement } from './process.ts';

const READER = 'gwk_reader_of_tests';
const ADMIN_SCOPES = [...SCOPES].flatMap(([scope, types]) => (types.includes('organisation-service') ? [scope] : []));
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
/** A text that no answer, log, event, status or object but its own Secret may have. */
const CANARY = `sk-canary-${randomBytes(16).toString('hex')}`;

let cluster: ControlPlane;
let stage: Stage;
let operator: OperatorProcess;
let management: ManagementProcess;
let pods: PodProcess[];
let admin: string;
const parts = new AsyncDisposableStack();
const answers: string[] = [];
/** What callers have sent and got once. */
const secrets: string[] = [];

beforeAll(async () => {
  cluster = parts.use(await startControlPlane());
  await installCustomResources(cluster);
  const args = ['--webhook-url', 'https://127.0.0.1:0', '--management-service-account', ACCOUNT];
  stage = parts.use(await setStage(cluster, { args, replicas: 3 }));
  await installShells(stage);
  operator = parts.use(await startOperator({ ...stage.setup, kubeconfigPath: await grantRights(stage) }));
  const { organisation, tenant } = stage;
  await apply(
    cluster,
    ours('ApiKey', { name: 'admin', namespace: organisation }, { type: 'organisation-service', scopes: ADMIN_SCOPES }),
  );
  await apply(
    cluster,
    ours(
      'ApiKey',
      { name: 'reader', namespace: tenant },
      { type: 'workspace-service', scopes: ['configs.list'], sha256: sha256(READER) },
    ),
  );
  management = parts.use(await startManagement(stage, operator));
  pods = await runPods(stage, { count: 3, variables: management.variables });
  for (const pod of pods) parts.use(pod);
  admin = await waitFor(
    async () => {
      const minted = await read(cluster, secret(organisation, 'admin-key', {}));
      return Buffer.from(minted?.data?.['key'] ?? '', 'base64').toString('utf8') || undefined;
    },
    { what: 'the minted key of the organisation' },
  );
  await waitFor(async () => (await call('GET', '/configs')).status === 200, { what: 'a call that is answered' });
});
afterAll(() => parts.disposeAsync());

interface Call {
  readonly key?: string;
  readonly body?: object;
  readonly pod?: PodProcess | undefined;
}

/** Through a gateway; `path` is below `/v1`. */
async function call(method: string, path: string, { key = admin, body, pod = pods[0] }: Call = {}) {
  const mark = path.includes('?') ? '&' : '?';
  const named = key === admin ? `${path}${mark}workspace_id=${stage.tenant}` : path;
  const response = await fetch(`${pod?.url}/v1${named}`, {
    method,
    headers: { 'x-gw-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  answers.push(text);
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

const created = async (path: string, body: object): Promise<string> => {
  const slug = `made-${randomBytes(4).toString('hex')}`;
  const made = await call('POST', path, { body: { workspace_id: stage.tenant, slug, ...body } });
  expect(made).toMatchObject({ status: 200 });
  return slug;
};

const POLICY = {
  name: 'Slow',
  conditions: [{ key: 'model', value: '*' }],
  group_by: [{ key: 'api_key' }],
  type: 'requests',
  unit: 'rpm',
  value: 100,
};

const there = (kind: string, name: string): KubeThing => ours(kind, { name, namespace: stage.tenant }, {});
const specOf = (thing: KubeThing | undefined): Record<string, unknown> => ({ ...(thing?.spec as object | undefined) });

test('its metrics are those of the reference', async () => {
  const metrics = async () => (await fetch(`${management.healthUrl}/metrics`)).text();
  const text = await metrics();
  for (const { name } of Object.values(MANAGEMENT_METRICS)) expect(text).toContain(`# TYPE ${name} `);
  const counted = /^gatehouse_management_calls_total\{operation="\S+",status="200"\} [1-9]/m;
  await waitFor(async () => counted.test(await metrics()), { what: 'a call that is counted' });
});

test('a key is checked by the gateway, and by the management API itself', async () => {
  expect(await call('GET', '/configs', { key: 'gwk_unknown' })).toMatchObject({ status: 401 });
  expect(await call('GET', '/providers', { key: READER })).toMatchObject({ status: 403, body: { errorCode: 'AB03' } });
  expect(await call('GET', '/configs', { key: READER })).toMatchObject({ status: 200 });
  const { GATEHOUSE_MANAGEMENT_URL: url, GATEHOUSE_MANAGEMENT_CA: ca } = management.variables;
  const direct = (key: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = request(`${url}/v1/providers`, { ca, headers: { 'x-gw-api-key': key } });
      asked.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
      asked.end();
    });
  expect([await direct('gwk_unknown'), await direct(READER)]).toEqual([401, 403]);
});

test('a key that REST has made is served by three gateways, and by none once REST has deleted it', async () => {
  const made = await call('POST', '/api-keys/workspace/service', {
    body: { workspace_id: stage.tenant, name: 'made', scopes: ['configs.list'] },
  });
  expect(made.status).toBe(200);
  const key = String(made.body['key']);
  answers.splice(answers.length - 1, 1); // the only answer that has the key
  secrets.push(key);
  const statuses = () => Promise.all(pods.map(async (pod) => (await call('GET', '/configs', { key, pod })).status));
  await waitFor(async () => (await statuses()).every((status) => status === 200), { what: 'a key on three gateways' });
  expect(await call('DELETE', `/api-keys/${String(made.body['id'])}`)).toMatchObject({ status: 200 });
  await waitFor(async () => (await statuses()).every((status) => status === 401), { what: 'a key that is gone' });
});

test('the groups of a policy come from the leader of the operator', async () => {
  const { unit: _unit, value, ...budget } = POLICY;
  const slug = await created('/policies/usage-limits', { ...budget, credit_limit: value });
  expect(await call('GET', `/policies/usage-limits/${slug}/entities`)).toEqual({
    status: 200,
    body: { object: 'list', total: 0, data: [] },
  });
  const reset = { body: { reset_usage_for_value: 'api_key:team/app' } };
  expect(await call('PUT', `/policies/usage-limits/${slug}`, reset)).toMatchObject({ status: 200 });
  const { groupResets } = specOf(await read(cluster, there('UsageLimitPolicy', slug)));
  expect(groupResets).toMatchObject([{ group: 'api_key:team/app' }]);
});

test('a hundred changes at the same time lose nothing', async () => {
  const slug = await created('/policies/rate-limits', POLICY);
  const before = await read(cluster, there('RateLimitPolicy', slug));
  const changes = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? { name: `Name ${i}` } : { value: 1_000 + i }));
  const done = await Promise.all(
    changes.map((body, i) => call('PUT', `/policies/rate-limits/${slug}`, { body, pod: pods[i % 3] })),
  );
  expect(done.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
  const after = await read(cluster, there('RateLimitPolicy', slug));
  expect((after?.metadata.generation ?? 0) - (before?.metadata.generation ?? 0)).toBe(changes.length);
  const { displayName, value } = specOf(after);
  expect(changes).toContainEqual({ name: displayName });
  expect(changes).toContainEqual({ value });
});

test('kubectl sees no difference after a write by REST, and REST keeps what it does not own', async () => {
  const slug = await created('/policies/rate-limits', POLICY);
  const written = await read(cluster, there('RateLimitPolicy', slug));
  const manifest = { ...there('RateLimitPolicy', slug), spec: written?.spec };
  await runKubectl(cluster, ['diff', '--server-side', '--field-manager', 'kubectl', '-f', '-'], {
    input: JSON.stringify(manifest),
  });
  const labelled = { ...there('RateLimitPolicy', slug), metadata: { ...manifest.metadata, labels: { team: 'a' } } };
  const { spec: _, ...labels } = labelled;
  await runKubectl(cluster, ['apply', '--server-side', '-f', '-'], { input: JSON.stringify(labels) });
  expect(await call('PUT', `/policies/rate-limits/${slug}`, { body: { value: 7 } })).toMatchObject({ status: 200 });
  const changed = await read(cluster, there('RateLimitPolicy', slug));
  expect(changed?.metadata.labels).toEqual({ team: 'a' });
  expect(specOf(changed)).toEqual({ ...specOf(written), value: 7 });
});

test('what Flux keeps is refused with its owner, unless it is forced by a key that may', async () => {
  const slug = await created('/policies/rate-limits', POLICY);
  const labels = { 'kustomize.toolkit.fluxcd.io/name': 'apps', 'kustomize.toolkit.fluxcd.io/namespace': 'flux' };
  const { spec: _, ...kept } = there('RateLimitPolicy', slug);
  const owned = { ...kept, metadata: { ...kept.metadata, labels } };
  await runKubectl(cluster, ['apply', '--server-side', '-f', '-'], { input: JSON.stringify(owned) });
  const path = `/policies/rate-limits/${slug}`;
  await waitFor(async () => (await call('PUT', path, { body: { value: 8 } })).status === 409, { what: 'the owner' });
  const refused = await call('PUT', path, { body: { value: 8 } });
  expect(String(refused.body['message'])).toContain('Flux kustomization apps');
  expect(await call('PUT', `${path}?force=true`, { body: { value: 9 } })).toMatchObject({ status: 200 });
  expect(specOf(await read(cluster, there('RateLimitPolicy', slug)))).toMatchObject({ value: 9 });
});

test('a secret that is sent once is nowhere but in its Secret', async () => {
  const slug = await created('/virtual-keys', { name: 'Canary', provider: 'openai', key: CANARY });
  secrets.push(CANARY);
  await call('GET', `/virtual-keys/${slug}`);
  await call('GET', '/virtual-keys');
  await call('PUT', `/virtual-keys/${slug}`, { body: { key: `${CANARY}-second`, note: 'x' } });
  await call('PUT', `/virtual-keys/${slug}`, { body: { key: CANARY, name: 7 } });
  await waitFor(async () => (await read(cluster, there('VirtualKey', slug)))?.status?.['conditions'], {
    what: 'a status',
  });
  const written = await runKubectl(cluster, ['get', 'secrets', '-n', stage.tenant, '-o', 'yaml']);
  expect(written).toContain(Buffer.from(CANARY).toString('base64').slice(0, 20));
  const kinds = 'virtualkeys,apikeys,ratelimitpolicies,configmaps,events,events.events.k8s.io';
  const seen = [
    ...answers,
    ...[operator, management].map((process) => process.output()),
    ...pods.map(({ gateway }) => gateway.output()),
    await runKubectl(cluster, ['get', kinds, '-A', '-o', 'yaml', '--show-managed-fields']),
    await (await fetch(`${management.healthUrl}/metrics`)).text(),
  ].join('\n');
  for (const text of secrets) {
    expect(seen.includes(text)).toBe(false);
    expect(seen.includes(Buffer.from(text).toString('base64'))).toBe(false);
  }
});

test('its account reads no Secret, runs no pods and grants nothing', async () => {
  const token = await cluster.serviceAccountToken(stage.organisation, ACCOUNT);
  const asked = async (verb: string, group: string, resource: string): Promise<boolean> => {
    const spec = { resourceAttributes: { namespace: stage.tenant, verb, group, resource } };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const { body } = await cluster.request('POST', path, { token, body: { spec } });
    return (body as { readonly status: { readonly allowed: boolean } }).status.allowed;
  };
  const granted = async (group: string, resource: string, verbs: readonly string[]): Promise<readonly string[]> => {
    const allowed = await Promise.all(verbs.map((verb) => asked(verb, group, resource)));
    return verbs.filter((_, i) => allowed[i]);
  };
  const all = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
  expect(await granted('', 'secrets', all)).toEqual(['create', 'patch']);
  for (const resource of ['pods', 'configmaps', 'serviceaccounts'])
    expect(await granted('', resource, all)).toEqual([]);
  expect(await granted('apps', 'deployments', all)).toEqual([]);
  expect(await granted('rbac.authorization.k8s.io', 'rolebindings', all)).toEqual([]);
  expect(await granted('gatehouse.dev', 'gatewayfleets', all)).toEqual(['get', 'list', 'watch']);
  const { status } = await cluster.request('GET', `/api/v1/namespaces/${stage.organisation}/secrets/admin-key`, {
    token,
  });
  expect(status).toBe(403);
});

test('it drains when it is stopped; without it gateways say so, and go on with requests to providers', async () => {
  expect(await management.stop()).toBe(0);
  const { status, body } = await call('GET', '/configs');
  expect([status, body]).toMatchObject([503, { error: { code: 'management_unavailable' } }]);
  expect(JSON.stringify(body)).toContain('it does not run');
  expect(await pods[0]?.ask(READER)).toBe(403); // refused for its scope by the gateway: it serves
  await using again = await startManagement(stage, operator);
  await waitFor(async () => (await fetch(`${again.healthUrl}/readyz`)).status === 200, { what: 'it is ready again' });
});
