/** A workspace with everything a request needs, in a namespace of its own. */
import { createHash, randomBytes } from 'node:crypto';
import { isObject } from '@gatehouse/crds';
import type { ControlPlaneAccess } from '../../cluster/index.ts';
import { allReady, applyObjects } from './kube.ts';
import { eventually } from './wait.ts';

const API_VERSION = 'gatehouse.dev/v1alpha1';
/** Of examples/mock-provider.yaml. */
const MOCK_URL = 'http://mock-provider.mock-provider.svc:8790/v1';

export interface Team {
  /** Of the workspace and of its namespace. */
  readonly name: string;
  /** A gateway key of an application. */
  readonly key: string;
}

export interface TeamOptions {
  /** Further labels of the namespace. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly objects?: (namespace: string) => readonly object[];
}

/**
 * VirtualKeys `first` (OpenAI) and `second` (Groq), both of the Secret `provider` and both answered by the mock provider;
 * the GatewayConfig `main`, which is the default and uses the first; the ApiKey `app`. All are ready when this resolves.
 */
export async function createTeam(controlPlane: ControlPlaneAccess, options: TeamOptions = {}): Promise<Team> {
  const name = `team-${randomBytes(3).toString('hex')}`;
  const key = newKey();
  await applyObjects(controlPlane, [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { ...options.labels, 'gatehouse.dev/workspace': name } },
    },
    secretsGrant(name),
  ]);
  await mayReadSecrets(controlPlane, name);
  await applyObjects(controlPlane, [
    resource('Workspace', { name }, { namespace: name, defaults: { configRef: { name: 'main' } } }),
    ...providers(name),
    resource('GatewayConfig', { namespace: name, name: 'main' }, { config: { provider: '@first' } }),
    apiKey(name, 'app', key),
    ...(options.objects?.(name) ?? []),
  ]);
  await allReady(controlPlane, name, 'virtualkeys,gatewayconfigs,apikeys');
  return { name, key };
}

/** A replica of the operator that was denied tries again some seconds later, each on its own. */
async function mayReadSecrets(controlPlane: ControlPlaneAccess, namespace: string): Promise<void> {
  const spec = {
    user: 'system:serviceaccount:gatehouse-system:gatehouse-operator',
    resourceAttributes: { namespace, verb: 'watch', resource: 'secrets', name: 'provider' },
  };
  await eventually(`a grant in ${namespace}`, async () => {
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    const { body } = await controlPlane.request('POST', path, { body: { spec } });
    return isObject(body) && isObject(body['status']) && body['status']['allowed'] === true;
  });
}

/** What the platform does for the namespace of a workspace. */
const secretsGrant = (namespace: string): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'gatehouse-workspace-secrets', namespace },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'gatehouse-workspace-secrets' },
  subjects: [{ kind: 'ServiceAccount', name: 'gatehouse-operator', namespace: 'gatehouse-system' }],
});

/** 256 random bits. */
export const newKey = (): string => `gwk_${randomBytes(32).toString('base64url')}`;

export const resource = (kind: string, metadata: object, spec: object): object => ({
  apiVersion: API_VERSION,
  kind,
  metadata,
  spec,
});

export const apiKey = (namespace: string, name: string, key: string): object =>
  resource(
    'ApiKey',
    { namespace, name },
    {
      type: 'workspace-service',
      sha256: createHash('sha256').update(key).digest('hex'),
      scopes: ['completions.write'],
    },
  );

/** Of the Secret `provider`, answered by the mock provider. */
export const virtualKey = (namespace: string, name: string, provider: string): object =>
  resource(
    'VirtualKey',
    { namespace, name },
    { provider, secretRef: { name: 'provider', key: 'api-key' }, customHost: MOCK_URL },
  );

const providers = (namespace: string): readonly object[] => [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: 'provider' },
    stringData: { 'api-key': 'provider-key-0' },
  },
  virtualKey(namespace, 'first', 'openai'),
  virtualKey(namespace, 'second', 'groq'),
];
