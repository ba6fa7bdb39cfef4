/** What the account of the operator can do to a cluster, and what becomes of namespaces whose Secrets it may not have. */

import { isObject } from '@gatehouse/crds';
import { createMockProvider, type MockProvider } from '@gatehouse/standalone/mock-provider';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlaneAccess, type Method, runKubectl, sharedControlPlane } from '../../cluster/index.ts';
import { apiKeyResource } from '../../kit/resources.ts';
import { waitFor } from '../../kit/wait-for.ts';
import {
  asOperator,
  binding,
  grantEverywhere,
  grantRights,
  installLease,
  revoke,
  revokeEverywhere,
} from '../../operator/operator/rights.ts';
import {
  apply,
  becomes,
  createTenant,
  fleetOf,
  type KubeThing,
  ours,
  publishedTo,
  read,
  runPods,
  type Stage,
  secret,
  setStage,
  startOperator,
} from '../../operator/operator/support.ts';

let cluster: ControlPlaneAccess;
let mock: MockProvider;
beforeAll(async () => {
  cluster = sharedControlPlane();
  mock = await createMockProvider();
});
afterAll(async () => {
  await mock.close();
  await cluster[Symbol.asyncDispose]();
});

const KEY = 'gwk_a_key_of_the_tests_of_rights';
const DENIED = { type: 'ResolvedRefs', status: 'False', reason: 'AccessDenied' } as const;
const RESOLVED = { type: 'ResolvedRefs', status: 'True' } as const;
const READY = { type: 'Ready', status: 'True' } as const;

/** An account with a Secret, and a key that is to be minted. */
async function furnish(namespace: string, text: string) {
  const account = ours(
    'VirtualKey',
    { name: 'local', namespace },
    { provider: 'openai', secretRef: { name: 'account', key: 'key' }, customHost: `${mock.url}/v1` },
  );
  const key = ours('ApiKey', { name: 'app', namespace }, { type: 'workspace-service', scopes: ['completions.write'] });
  for (const object of [secret(namespace, 'account', { key: text }), account, key]) await apply(cluster, object);
  return { account, key };
}

const minted = (namespace: string): Promise<KubeThing | undefined> => read(cluster, secret(namespace, 'app-key', {}));

/** Runs the command that a message contains. */
async function obey(message: string, ...roles: readonly string[]): Promise<void> {
  const [, commands = ''] = /grant it with: ([^;]*)/.exec(message) ?? [];
  const lines = commands.split(' && ').map((line) => line.trim().split(' '));
  expect(lines.map(([program, ...args]) => `${program} ${args.slice(0, 3).join(' ')}`)).toEqual(
    roles.map((role) => `kubectl create rolebinding ${role}`),
  );
  for (const [, ...args] of lines) await runKubectl(cluster, args);
}

describe('an operator with the rights of the chart', () => {
  test('reads no Secret, runs no pod and grants nothing outside the namespaces that the platform has named', async () => {
    await using stage = await setStage(cluster);
    const { organisation, fleets, tenant } = stage;
    await grantRights(stage, { watched: [undefined], workspaceSecrets: [organisation] });
    await apply(cluster, secret(tenant, 'private', { key: 'x' }));
    const core = '/api/v1/namespaces';
    const forbidden: readonly [Method, string][] = [
      ['GET', '/api/v1/secrets'],
      ['GET', '/api/v1/secrets?watch=true&timeoutSeconds=1'],
      ['GET', `${core}/kube-system/secrets`],
      ['GET', `${core}/${tenant}/secrets`],
      ['GET', `${core}/${tenant}/secrets/private`],
      ['GET', `${core}/${tenant}/secrets?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dprivate`],
      ['DELETE', `${core}/${tenant}/secrets/private`],
      ['GET', `${core}/${organisation}/secrets`],
      ['GET', `${core}/${fleets}/secrets`],
      ['GET', `${core}/${tenant}/configmaps/any`],
    ];
    for (const [method, path] of forbidden) {
      expect([method, path, await asOperator(stage, method, path)]).toEqual([method, path, 403]);
    }
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const made: readonly [string, KubeThing][] = [
      [`${core}/${tenant}/secrets`, secret(tenant, 'made', {})],
      [`${core}/${tenant}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' } }],
      [`/apis/apps/v1/namespaces/${tenant}/deployments`, deployment(tenant)],
      [`/apis/apps/v1/namespaces/kube-system/deployments`, deployment('kube-system')],
      [`${core}/${fleets}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'made' } }],
      [`${rbac}/namespaces/${tenant}/rolebindings`, binding(stage, 'workspaceSecrets', tenant)],
      [`${rbac}/clusterrolebindings`, binding(stage, 'workspaceSecrets', undefined)],
      // Where it may bind at all, it may bind no more than it has.
      [`${rbac}/namespaces/${fleets}/rolebindings`, toAdmin(stage)],
    ];
    for (const [path, body] of made) {
      expect([path, body.kind, await asOperator(stage, 'POST', path, body)]).toEqual([path, body.kind, 403]);
    }
    await revoke(stage, 'watched', undefined);
  });

  test('reports the command for a namespace without a grant, serves all others, and continues as soon as it is run', async () => {
    const granted = await createTenant(cluster);
    await using stage = await setStage(cluster, {
      namespaces: [granted],
      args: ['--webhook-url', 'https://127.0.0.1:0'],
    });
    const { organisation, fleets, tenant } = stage;
    const kubeconfigPath = await grantRights(stage, {
      watched: [organisation, fleets, tenant, granted],
      workspaceSecrets: [organisation, granted],
    });
    await installLease(stage);
    const refused = await furnish(tenant, 'of-the-refused');
    const own = { ...fleetOf(tenant, { replicas: 1 }), metadata: { name: 'own', namespace: tenant } };
    const sidecars = ours('SidecarProfile', { name: 'app', namespace: tenant }, {});
    for (const object of [own, sidecars]) await apply(cluster, object);
    const served = await furnish(granted, 'of-the-granted');
    await using operator = await startOperator({ ...stage.setup, kubeconfigPath });

    const { message } = await becomes(cluster, refused.account, DENIED);
    expect(message).toContain(`--namespace ${tenant} `);
    expect(message).toContain(`--serviceaccount=${organisation}:gatehouse-operator`);
    await becomes(cluster, refused.key, DENIED);
    const fleet = await becomes(cluster, own, DENIED);
    const profile = await becomes(cluster, sidecars, { type: 'Ready', status: 'False', reason: 'AccessDenied' });
    for (const object of [served.account, served.key]) await becomes(cluster, object, RESOLVED);
    expect(await minted(granted)).toBeDefined();
    expect(await minted(tenant)).toBeUndefined();
    expect(await publishedTo(cluster, fleets)).not.toContain('of-the-refused');

    expect(profile.message).toContain('gatehouse-workspace-secrets');
    await obey(message, 'gatehouse-workspace-secrets');
    for (const object of [refused.account, refused.key]) await becomes(cluster, object, RESOLVED);
    await becomes(cluster, sidecars, { type: 'Programmed', status: 'True' });
    await becomes(cluster, own, RESOLVED);
    await obey(fleet.message, 'gatehouse-fleets', 'gatehouse-fleet-secrets');
    await waitFor(() => read(cluster, deployment(tenant, 'own-gateway')), { what: 'pods' });
    await waitFor(async () => (await publishedTo(cluster, fleets)).includes('of-the-refused'), {
      what: 'what was granted',
    });
    const calls = await cluster.auditEvents({ user: `system:serviceaccount:${organisation}:gatehouse-operator` });
    const wasted = calls.filter(
      ({ status, resource, verb }) => status === 403 && resource === 'secrets' && verb === 'watch',
    );
    expect(wasted.length, 'refused watches, of four names').toBeLessThan(10);
    expect(operator.output()).not.toContain('of-the-refused');
  });

  test('leaves what is served as it is when a grant is taken away, over its own restart too', async () => {
    await using stage = await setStage(cluster);
    const { tenant } = stage;
    const kubeconfigPath = await grantRights(stage);
    await installLease(stage);
    const setup = { ...stage.setup, kubeconfigPath };
    const { account } = await furnish(tenant, 'kept-credential');
    const before = await startOperator(setup);
    await becomes(cluster, account, RESOLVED);
    await waitFor(() => isNamed(stage, 'kept-credential'), { what: 'a manifest that names the credential' });
    await before.stop();
    await revoke(stage, 'workspaceSecrets', tenant);
    await using _after = await startOperator(setup);
    const { message } = await becomes(cluster, account, DENIED);
    expect(message).toContain('the last good content is served');
    const manifest = await newestManifest(stage);
    await apply(
      cluster,
      ours('GatewayConfig', { name: 'later', namespace: tenant }, { config: { provider: '@local' } }),
    );
    await waitFor(async () => (await newestManifest(stage)) !== manifest, { what: 'a later version' });
    expect(await isNamed(stage, 'kept-credential')).toBe(true);
  });
});

test('an upgrade from the right on all Secrets cuts nothing off, and one binding for all brings everything back', async () => {
  await using stage = await setStage(cluster);
  const { organisation, tenant } = stage;
  const kubeconfigPath = await grantRights(stage, { workspaceSecrets: [organisation] });
  await installLease(stage);
  const setup = { ...stage.setup, kubeconfigPath };
  await grantEverywhere(stage);
  const { account, key: mintedKey } = await furnish(tenant, 'of-the-old-days');
  const config = (model: string): KubeThing =>
    ours(
      'GatewayConfig',
      { name: 'main', namespace: tenant },
      { config: { provider: '@local', overrideParams: { model } } },
    );
  const key = apiKeyResource(tenant, 'hashed', KEY);
  for (const object of [config('one'), key]) await apply(cluster, object);
  const old = await startOperator(setup);
  const [pod] = await runPods(stage);
  await using _pod = pod;
  for (const object of [account, mintedKey, key, config('one')]) await becomes(cluster, object, READY);
  expect(await pod?.ask(KEY)).toBe('one');
  const opener = Buffer.from((await minted(tenant))?.data?.['key'] ?? '', 'base64').toString();

  await revokeEverywhere(stage, ['cluster', 'watched', 'own', 'fleets', 'fleetSecrets', 'workspaceSecrets']);
  await grantRights(stage, { workspaceSecrets: [organisation] });
  await old.stop();
  await using _new = await startOperator(setup);
  for (const object of [account, mintedKey]) await becomes(cluster, object, DENIED);
  expect(await pod?.ask(KEY)).toBe('one');
  expect(await pod?.ask(opener, { 'x-gw-config': 'main' })).toBe('one');
  await apply(cluster, config('two'));
  await waitFor(async () => (await pod?.ask(KEY)) === 'two', { what: 'an edit of what needs no Secret' });
  await apply(cluster, binding(stage, 'workspaceSecrets', undefined)); // what secrets.clusterWide does
  for (const object of [account, mintedKey, key]) await becomes(cluster, object, READY);
  await revoke(stage, 'workspaceSecrets', undefined);
});

test('an upgrade that grants the fleet before the workspaces loses nothing that was served', async () => {
  await using stage = await setStage(cluster);
  const { fleets, tenant } = stage;
  const kubeconfigPath = await grantRights(stage);
  await installLease(stage);
  const setup = { ...stage.setup, kubeconfigPath };
  const { account } = await furnish(tenant, 'served-before-the-upgrade');
  const old = await startOperator(setup);
  await becomes(cluster, account, RESOLVED);
  await waitFor(() => isNamed(stage, 'served-before-the-upgrade'), { what: 'a manifest that names the credential' });
  await old.stop();

  const ofFleets = ['fleets', 'fleetSecrets'] as const;
  for (const group of ofFleets) await revoke(stage, group, fleets);
  await revoke(stage, 'workspaceSecrets', tenant);
  const denied = async (): Promise<boolean> =>
    (await asOperator(stage, 'GET', `/api/v1/namespaces/${fleets}/configmaps/main-snapshot`)) === 403;
  await waitFor(denied, { what: 'rights that are gone' });
  await using _new = await startOperator(setup);
  await becomes(cluster, account, DENIED);
  const later = ours('GatewayConfig', { name: 'later', namespace: tenant }, { config: { provider: '@local' } });
  await apply(cluster, later);
  const manifest = await newestManifest(stage);
  for (const group of ofFleets) await apply(cluster, binding(stage, group, fleets));
  await waitFor(async () => (await newestManifest(stage)) !== manifest, {
    what: 'a version of the new operator',
  });
  expect(await isNamed(stage, 'served-before-the-upgrade')).toBe(true);
  expect((await becomes(cluster, account, DENIED)).message).toContain('the last good content is served');

  await apply(cluster, binding(stage, 'workspaceSecrets', tenant));
  await becomes(cluster, account, RESOLVED);
  expect(await isNamed(stage, 'served-before-the-upgrade')).toBe(true);
});

const deployment = (namespace: string, name = 'made'): KubeThing => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
  },
});

/** The operator as the administrator of a namespace in which it may bind a role. */
function toAdmin(stage: Stage): KubeThing {
  const { metadata, ...rest } = binding(stage, 'fleets', stage.fleets);
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  return { ...rest, metadata: { ...metadata, name: 'made' }, roleRef } as KubeThing;
}

async function newestManifest({ fleets }: Stage): Promise<string> {
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'main-snapshot', namespace: fleets } };
  return JSON.stringify((await read(cluster, manifest))?.data ?? null);
}

/** Whether a shard that the manifest names contains a text. */
async function isNamed(stage: Stage, text: string): Promise<boolean> {
  const { body } = await cluster.request('GET', `/api/v1/namespaces/${stage.fleets}/secrets`);
  const items = isObject(body) && Array.isArray(body['items']) ? (body['items'] as KubeThing[]) : [];
  const manifest = await newestManifest(stage);
  return items.some(({ metadata, data = {} }) => {
    const shard = Buffer.from(data['shard.json'] ?? '', 'base64').toString();
    return shard.includes(text) && manifest.includes(metadata.name);
  });
}
