/** The operator with exactly its own rights on a control plane of its own: nothing is refused, and nothing is left over. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATOR_RULES } from '../../../operator/src/rbac-rules.ts';
import { type AuditEvent, type ControlPlane, installCustomResources, startControlPlane } from '../../cluster/index.ts';
import { ACCOUNT, grantRights, installShells, leaseOf } from './rights.ts';
import {
  apply,
  becomes,
  createTenant,
  documents,
  fleetOf,
  installReferenceGrants,
  type KubeThing,
  ours,
  publishedTo,
  read,
  remove,
  runPods,
  type Stage,
  secret,
  setStage,
  startOperator,
} from './support.ts';

const EXAMPLES = ['organisation', 'team-a/workspace', 'team-a/providers', 'team-a/secrets', 'team-a/keys'];
const CONFIGS = ['by-endpoint', 'cached', 'conditional', 'fallback', 'weighted'].map(
  (name) => `team-a/configs/${name}`,
);
const EXAMPLE_KINDS = [
  ...['model-pricing', 'guardrail', 'rate-limit-policy', 'usage-limit-policy', 'workspace-member'],
  ...['prompt', 'prompt-version', 'prompt-partial', 'prompt-partial-version', 'prompt-collection', 'prompt-label'],
];
const RBAC = 'rbac.authorization.k8s.io';

let cluster: ControlPlane;
beforeAll(async () => {
  cluster = await startControlPlane();
  await installCustomResources(cluster);
  await installReferenceGrants(cluster);
});
afterAll(() => cluster[Symbol.asyncDispose]());

const textOf = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${path}.yaml`, import.meta.url)), 'utf8');

/** One object of every kind that a tenant can make, so that every status is written. */
function oneOfEach({ tenant, organisation, fleets }: Stage): KubeThing[] {
  const there = { namespace: tenant };
  return [
    secret(organisation, 'shared', { key: 'of-the-organisation' }),
    ours(
      'Integration',
      { name: 'shared', namespace: organisation },
      {
        provider: 'openai',
        secretRef: { name: 'shared', key: 'key' },
        allowAllModels: true,
      },
    ),
    ours(
      'IntegrationAccess',
      { name: 'shared', namespace: organisation },
      {
        integrationRef: { name: 'shared' },
        allWorkspaces: true,
        enabled: true,
      },
    ),
    ours('Provider', { name: 'shared', ...there }, { integrationRef: { name: 'shared' } }),
    ours('ApiKey', { name: 'minted', ...there }, { type: 'workspace-service', scopes: ['completions.write'] }),
    ours('SidecarProfile', { name: 'app', ...there }, {}),
    ours('Organisation', { name: 'default' }, {}),
    ours(
      'Workspace',
      { name: tenant },
      {
        namespace: tenant,
        workloadIdentities: [{ namespace: tenant, serviceAccount: 'app', scopes: ['completions.write'] }],
      },
    ),
    ours('VirtualKey', { name: 'broken', ...there }, { provider: 'openai', secretRef: { name: 'none', key: 'key' } }),
    ours('VirtualKey', { name: 'inside', ...there }, { provider: 'ollama', customHost: 'http://vllm:8000/v1' }),
    ours('SecretReference', { name: 'plain', ...there }, { manager: 'Kubernetes', path: 'none' }),
    ours('McpIntegration', { name: 'plain', ...there }, { url: 'https://mcp.example.com/mcp' }),
    ours('McpServer', { name: 'plain', ...there }, { integrationRef: { name: 'plain' } }),
    ours(
      'ScimMapping',
      { name: 'plain', namespace: organisation },
      { group: { name: 'Platform' }, workspaceRef: { name: tenant }, role: 'member' },
    ),
    ours('GatewayConfig', { name: 'plain', ...there }, { config: { provider: '@broken' } }),
    { ...fleetOf(fleets, { autoscaling: { maxReplicas: 2 } }), metadata: { name: 'scaled', namespace: fleets } },
    ...EXAMPLE_KINDS.flatMap((kind) =>
      documents(textOf(`crds/examples/${kind}/valid`), (text) => text.replaceAll('team-a', tenant)),
    ),
  ];
}

/** An account whose Secret the operator may not read where the platform has not granted it. */
const accountIn = (namespace: string): KubeThing =>
  ours('VirtualKey', { name: 'denied', namespace }, { provider: 'openai', secretRef: { name: 'denied', key: 'key' } });

test('the operator needs every right it has, and no other', async () => {
  const ungranted = await createTenant(cluster);
  await using stage = await setStage(cluster, {
    namespaces: [ungranted],
    args: ['--webhook-url', 'https://127.0.0.1:0'],
  });
  const { organisation, fleets, tenant } = stage;
  await installShells(stage);
  await remove(cluster, leaseOf(stage)); // as Argo CD installs the chart
  const kubeconfigPath = await grantRights(stage, { watched: [organisation, fleets, tenant, ungranted] });
  const setup = { ...stage.setup, kubeconfigPath };
  const made: KubeThing[] = [];
  const skipped: string[] = [];
  const denied = accountIn(ungranted);
  for (const object of [...oneOfEach(stage), denied]) {
    await apply(cluster, object).then(
      () => made.push(object),
      (error: unknown) => skipped.push(String(error)),
    );
  }
  expect(skipped).toEqual([]);
  await using operator = await startOperator(setup);
  const [pod] = await runPods(stage);
  await using _pod = pod;
  for (const object of made.filter(({ kind }) => kind !== 'Secret')) {
    await waitFor(async () => (await read(cluster, object))?.status?.['conditions'], {
      what: `a status of ${object.kind}`,
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${operator.output().slice(-3_000)}`);
    });
  }
  await becomes(cluster, denied, { type: 'ResolvedRefs', status: 'False', reason: 'AccessDenied' });
  const minted = secret(tenant, 'minted-key', {});
  await waitFor(() => read(cluster, minted), { what: 'a minted key' });
  await becomes(cluster, fleetOf(fleets, {}), { type: 'Ready', status: 'True' });
  await waitFor(async () => (await publishedTo(cluster, fleets)).includes('of-the-organisation'), {
    what: 'the credential of the organisation',
  });
  await waitFor(async () => operator.lines('Applied a webhook configuration').length >= 2, {
    what: 'both webhooks',
  });
  const webhooks = await cluster.request(
    'GET',
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  );
  expect(webhooks.status).toBe(200);

  const user = `system:serviceaccount:${organisation}:${ACCOUNT}`;
  const unused = async (): Promise<string[]> => {
    const used = new Set((await cluster.auditEvents({ user })).map(callOf));
    return permissions().filter((permission) => !isUsed(permission, used) && !SELDOM.has(permission));
  };
  // What is written in its own time, such as events; a watch has its event when it ends.
  const isWatch = (permission: string): boolean => permission.startsWith('watch ');
  const unusedCalls = async () => (await unused()).filter((permission) => !isWatch(permission));
  await expect.poll(unusedCalls, { timeout: 120_000 }).toEqual([]);
  expect(await operator.stop()).toBe(0);
  await expect.poll(unused, { timeout: 120_000 }).toEqual([]);

  const events = await cluster.auditEvents({ user });
  const isOfUngranted = ({ namespace, resource }: AuditEvent): boolean =>
    namespace === ungranted && resource === 'secrets';
  const refused = events.filter(({ status }) => status === 403);
  expect(refused.filter((event) => !isOfUngranted(event)).map(callOf)).toEqual([]);
});

test('every example becomes ready, the organisation too', async () => {
  await using stage = await setStage(cluster);
  const rename = (text: string): string => text.replaceAll('team-a', stage.tenant);
  const objects = [...EXAMPLES, ...CONFIGS].flatMap((name) => documents(textOf(`examples/${name}`), rename));
  for (const object of objects) await apply(cluster, object);
  await using _operator = await startOperator(stage.setup);
  const [pod] = await runPods(stage);
  await using _pod = pod;
  for (const object of objects.filter(({ apiVersion }) => apiVersion.startsWith('gatehouse.dev/'))) {
    await becomes(cluster, object, { type: 'Ready', status: 'True', reason: 'Succeeded' });
  }
  await becomes(cluster, fleetOf(stage.fleets, {}), { type: 'Ready', status: 'True' });
  for (const object of objects.filter(({ kind }) => kind === 'Organisation')) await remove(cluster, object);
});

const nameOf = (group: string, resource: string): string => (group === '' ? resource : `${resource}.${group}`);

/** What only comes about by accidents and requests that this test does not make, each covered where its code is tested. */
const SELDOM: ReadonlySet<string> = new Set([
  'bind clusterroles.rbac.authorization.k8s.io', // asked for by the API server itself
  'create tokenreviews.authentication.k8s.io', // a sidecar's stream
  'patch events.events.k8s.io', // an event that repeats
  // What a namespace holds beyond what is kept of it.
  ...permissions().filter((permission) => permission.startsWith('get ') && permission.endsWith('.gatehouse.dev')),
  // Objects with fields that only a new object can change, and shards that nothing names any more.
  ...['configmaps', 'secrets', 'services', 'deployments.apps'].map((name) => `delete ${name}`),
  ...['horizontalpodautoscalers.autoscaling', `rolebindings.${RBAC}`].map((name) => `delete ${name}`),
]);

const callOf = ({ verb, group, resource, subresource }: AuditEvent): string =>
  `${verb} ${nameOf(group, subresource === '' ? resource : `${resource}/${subresource}`)}`;

function permissions(): string[] {
  const all = OPERATOR_RULES.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${nameOf(group, resource)}`)),
    ),
  );
  return [...new Set(all)].sort();
}

/** Server-side apply asks for the right to create without a call of that name. */
function isUsed(permission: string, used: ReadonlySet<string>): boolean {
  return used.has(permission) || (permission.startsWith('create ') && used.has(permission.replace('create', 'patch')));
}
