import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '@gatehouse/crds';
import type { Snapshot } from '@gatehouse/crds/snapshot';
import { config, key, provider, snapshot, workspace } from '@gatehouse/test/kit';
import {
  createPublisher,
  type FleetIdentity,
  type Publisher,
  type PublisherOptions,
} from '../../../operator/src/publish/index.ts';
import type { KubeClient } from '../../../operator/src/runtime/index.ts';
import type { ControlPlaneAccess } from '../../cluster/index.ts';
import { CONFIG_MAPS, type ConfigMap, recordLog } from '../runtime/support.ts';

export { ADMIN_TOKEN, type GatewayProcess, startGateway } from '../../contract/gateway-process.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** A fleet in a namespace of its own, with a token that may do what gateways may. */
export interface TestFleet extends FleetIdentity {
  readonly token: string;
  readonly manifest: { readonly namespace: string; readonly name: string };
}

export async function createFleet(cluster: ControlPlaneAccess, name = 'main'): Promise<TestFleet> {
  const namespace = await cluster.createNamespace();
  const made = await cluster.request('POST', `/apis/gatehouse.dev/v1alpha1/namespaces/${namespace}/gatewayfleets`, {
    body: { apiVersion: 'gatehouse.dev/v1alpha1', kind: 'GatewayFleet', metadata: { name }, spec: {} },
  });
  const metadata = isObject(made.body) ? made.body['metadata'] : undefined;
  if (made.status !== 201 || !isObject(metadata)) throw new Error(JSON.stringify(made));
  const token = await cluster.serviceAccountToken(namespace, 'gateway');
  const roles = `${RBAC}/namespaces/${namespace}`;
  const rules = [
    { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get'] },
    { apiGroups: [''], resources: ['configmaps'], resourceNames: [`${name}-snapshot`], verbs: ['watch'] },
  ];
  await cluster.request('POST', `${roles}/roles`, { body: { metadata: { name: 'gateway' }, rules } });
  await cluster.request('POST', `${roles}/rolebindings`, {
    body: {
      metadata: { name: 'gateway' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'gateway' },
      subjects: [{ kind: 'ServiceAccount', name: 'gateway', namespace }],
    },
  });
  return { namespace, name, uid: String(metadata['uid']), token, manifest: { namespace, name: `${name}-snapshot` } };
}

export const publisherOf = (
  client: PublisherOptions['client'],
  fleet: FleetIdentity,
  options: Partial<PublisherOptions> = {},
): Publisher => createPublisher({ client, fleet, identity: 'leader-1', log: recordLog(), ...options });

/** What the tests publish: every answer names the model, so it tells which version served it. */
export const world = (model: string, upstream: string): Snapshot =>
  sorted(
    snapshot(
      workspace(),
      key({ config: 'main' }),
      provider('local', { customHost: `${upstream}/v1` }),
      config('main', { provider: '@local', override_params: { model } }),
    ),
  );

const sorted = (given: Snapshot): Snapshot => ({
  ...given,
  entries: given.entries.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
});

export const manifestOf = async (
  client: KubeClient,
  { manifest }: TestFleet,
  signal: AbortSignal,
): Promise<ConfigMap> => client.get(CONFIG_MAPS, manifest, { signal });

/** Names of the shards there are, ConfigMaps and Secrets. */
export async function shardsThere(cluster: ControlPlaneAccess, { namespace, name }: FleetIdentity): Promise<string[]> {
  const names: string[] = [];
  for (const kind of ['configmaps', 'secrets']) {
    const { body } = await cluster.request('GET', `/api/v1/namespaces/${namespace}/${kind}`);
    const items = isObject(body) && Array.isArray(body['items']) ? body['items'] : [];
    for (const { metadata } of items) if (metadata.name.startsWith(`${name}-shard-`)) names.push(metadata.name);
  }
  return names.sort();
}

export interface TempFolder extends AsyncDisposable {
  readonly path: string;
}

export async function tempFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-publish-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** The environment of a gateway of the fleet; `folder` holds its token and its last good copy. */
export async function fleetVariables(
  fleet: TestFleet,
  server: { readonly url: string; readonly caPem: string },
  folder: string,
): Promise<Record<string, string>> {
  await writeFile(join(folder, 'token'), fleet.token);
  await writeFile(join(folder, 'ca.crt'), server.caPem);
  return {
    GATEHOUSE_SNAPSHOT_SOURCE: 'kubernetes',
    GATEHOUSE_FLEET: fleet.name,
    GATEHOUSE_NAMESPACE: fleet.namespace,
    GATEHOUSE_API_SERVER: server.url,
    GATEHOUSE_API_TOKEN_FILE: join(folder, 'token'),
    GATEHOUSE_API_CA_FILE: join(folder, 'ca.crt'),
    GATEHOUSE_SNAPSHOT_DIR: join(folder, 'copy'),
  };
}

/** Whether a gateway has written its last good copy. */
export const copyIsSaved = (folder: string, fleet: string): boolean =>
  existsSync(join(folder, 'copy', 'snapshot', fleet, 'manifest.json'));

/** A client that answers as if it had created shards. */
export const hidingShards = (client: KubeClient): PublisherOptions['client'] => ({
  ...client,
  create: (kind, object, options) =>
    object.metadata.name.includes('-shard-') ? Promise.resolve(object) : client.create(kind, object, options),
});
