/** The operator as a process from its sources, and everything around it that a cluster of tests does not have. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '@gatehouse/crds';
import { isKindName, KINDS } from '@gatehouse/crds/kinds';
import type { AnyEntry } from '@gatehouse/crds/snapshot';
import { waitFor } from '@gatehouse/test/kit';
import { parseAllDocuments, stringify } from 'yaml';
import { APPLY_PATCH, type ControlPlaneAccess } from '../../cluster/index.ts';
import { ask, type GatewayProcess, startGateway } from '../../contract/gateway-process.ts';

const MAIN = fileURLToPath(new URL('../../../operator/src/main.ts', import.meta.url));
const GROUP = 'gatehouse.dev';

export interface KubeThing {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string; readonly kind: string }[];
  };
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface OperatorProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly healthUrl: string;
  /** Log lines with a message. */
  lines(message: string): readonly Readonly<Record<string, unknown>>[];
  /** Ends it as a stopped pod would be; gives the exit code. */
  stop(): Promise<number | null>;
  /** Ends it like a crash. */
  kill(): Promise<void>;
}

export interface OperatorSetup {
  readonly kubeconfigPath: string;
  readonly args: readonly string[];
  /** Of Node itself. */
  readonly nodeArgs?: readonly string[];
}

/** A busy machine holds up the renewal of a lease for seconds; the arguments of a setup win. */
const LEASE = ['--lease-seconds', '15'];

/** Starts it on free ports of loopback and waits until it answers for its health. */
export async function startOperator({ kubeconfigPath, args, nodeArgs = [] }: OperatorSetup): Promise<OperatorProcess> {
  const own = ['--kubeconfig', kubeconfigPath, '--host', '127.0.0.1', '--log-level', 'debug', ...LEASE];
  const ports = ['health', 'webhook', 'snapshot'].flatMap((name) => [`--${name}-port`, '0']);
  const child = spawn(
    process.execPath,
    [...nodeArgs, '--conditions=@gatehouse/source', MAIN, ...own, ...ports, ...args],
    {
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [, port = ''] = await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`the operator ended with ${child.exitCode}: ${output}`);
      return /"health":(\d+)/.exec(output);
    },
    { what: 'an operator that listens' },
  );
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    child.kill(signal);
    await once(child, 'exit');
    return child.exitCode;
  };
  return {
    child,
    output: () => output,
    healthUrl: `http://127.0.0.1:${port}`,
    lines: (message) =>
      output
        .split('\n')
        .slice(0, -1) // the last line may not have come whole
        .filter((line) => line.startsWith('{'))
        .map((line): Readonly<Record<string, unknown>> => JSON.parse(line))
        .filter(({ msg }) => msg === message),
    stop: () => end('SIGTERM'),
    kill: async () => {
      await end('SIGKILL');
    },
    [Symbol.asyncDispose]: async () => {
      await end('SIGKILL');
    },
  };
}

/** A kubeconfig with the token. */
export function kubeconfigOf({ url, caPem }: ControlPlaneAccess, token: string): string {
  const place = { name: 'cluster', cluster: { server: url, 'certificate-authority-data': btoa(caPem) } };
  const user = { name: 'user', user: { token } };
  const context = { name: 'main', context: { cluster: 'cluster', user: 'user' } };
  const config = { clusters: [place], users: [user], contexts: [context], 'current-context': 'main' };
  return stringify({ apiVersion: 'v1', kind: 'Config', ...config });
}

/** One installation among others of the same cluster: namespaces of its own, and a fleet that serves all of them. */
export interface Stage extends AsyncDisposable {
  readonly cluster: ControlPlaneAccess;
  readonly organisation: string;
  readonly fleets: string;
  /** Of a workspace of the same name. */
  readonly tenant: string;
  /** For `startOperator`. */
  readonly setup: OperatorSetup;
  readonly folder: string;
}

export interface StageOptions {
  /** Further namespaces to watch. */
  readonly namespaces?: readonly string[];
  readonly args?: readonly string[];
  readonly replicas?: number;
  readonly kubeconfigPath?: string;
}

export async function setStage(cluster: ControlPlaneAccess, options: StageOptions = {}): Promise<Stage> {
  const { namespaces = [], args = ['--no-webhooks'], replicas = 1 } = options;
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-operator-'));
  const [organisation, fleets] = await Promise.all([cluster.createNamespace(), cluster.createNamespace()]);
  const tenant = await createTenant(cluster);
  await allowGateways(cluster);
  await apply(cluster, fleetOf(fleets, { replicas }));
  const watched = [tenant, ...namespaces].join(',');
  const names = ['--organisation-namespace', organisation, '--fleet-namespaces', fleets, '--watch-namespaces', watched];
  return {
    cluster,
    organisation,
    fleets,
    tenant,
    folder,
    setup: { kubeconfigPath: options.kubeconfigPath ?? cluster.kubeconfigPath, args: [...names, ...args] },
    [Symbol.asyncDispose]: async () => {
      await remove(cluster, fleetOf(fleets, { replicas }));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const fleetOf = (namespace: string, spec: object): KubeThing => ({
  apiVersion: `${GROUP}/v1alpha1`,
  kind: 'GatewayFleet',
  metadata: { name: 'main', namespace },
  spec,
});

/** A namespace that consents to a Workspace of its own name, and the Workspace. */
export async function createTenant(cluster: ControlPlaneAccess): Promise<string> {
  const tenant = await cluster.createNamespace();
  await label(cluster, tenant, tenant);
  await apply(cluster, ours('Workspace', { name: tenant }, { namespace: tenant }));
  return tenant;
}

/** Sets the consent label of a namespace; null takes it away. */
export async function label(cluster: ControlPlaneAccess, namespace: string, workspace: string | null): Promise<void> {
  const labels = { 'gatehouse.dev/workspace': workspace, 'gatehouse.dev/injection': 'enabled' };
  const body = { metadata: { labels } };
  await patch(cluster, `/api/v1/namespaces/${namespace}`, body, 'application/merge-patch+json');
}

export const ours = (kind: string, metadata: KubeThing['metadata'], spec: object): KubeThing => ({
  apiVersion: `${GROUP}/v1alpha1`,
  kind,
  metadata,
  spec,
});

export const secret = (namespace: string, name: string, texts: Readonly<Record<string, string>>): KubeThing => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name },
  data: Object.fromEntries(Object.entries(texts).map(([entry, text]) => [entry, Buffer.from(text).toString('base64')])),
});

/** What the chart installs for gateways. */
async function allowGateways(cluster: ControlPlaneAccess): Promise<void> {
  await apply(cluster, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'gatehouse-gateway' },
    rules: [
      { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['watch'] },
    ],
  } as KubeThing);
}

const FOREIGN_CLUSTER_KINDS = new Set(['Namespace', 'ClusterRole', 'ClusterRoleBinding', 'CustomResourceDefinition']);

export function pathOf({ apiVersion, kind, metadata }: Pick<KubeThing, 'apiVersion' | 'kind' | 'metadata'>): string {
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const own = isKindName(kind) ? KINDS[kind] : undefined;
  const isCluster = own === undefined ? FOREIGN_CLUSTER_KINDS.has(kind) : own.scope === 'Cluster';
  const place = isCluster ? '' : `/namespaces/${metadata.namespace}`;
  return `${base}${place}/${own?.plural ?? `${kind.toLowerCase()}s`}/${metadata.name}`;
}

/** Server-side apply with a field manager that is neither the operator nor GitOps. */
export async function apply(cluster: ControlPlaneAccess, object: KubeThing): Promise<KubeThing> {
  return patch(cluster, `${pathOf(object)}?fieldManager=test&force=true`, object, APPLY_PATCH);
}

export async function remove(
  cluster: ControlPlaneAccess,
  object: Pick<KubeThing, 'apiVersion' | 'kind' | 'metadata'>,
): Promise<void> {
  await cluster.request('DELETE', pathOf(object));
}

export async function read(
  cluster: ControlPlaneAccess,
  object: Pick<KubeThing, 'apiVersion' | 'kind' | 'metadata'>,
): Promise<KubeThing | undefined> {
  const { status, body } = await cluster.request('GET', pathOf(object));
  return status === 200 ? (body as KubeThing) : undefined;
}

async function patch(
  cluster: ControlPlaneAccess,
  path: string,
  body: unknown,
  contentType: string,
): Promise<KubeThing> {
  const answer = await cluster.request('PATCH', path, { body, contentType });
  if (answer.status < 200 || answer.status > 299) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body as KubeThing;
}

export interface ConditionView {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
}

/** A condition that speaks of the object as it is now; undefined when there is none yet. */
export async function condition(
  cluster: ControlPlaneAccess,
  object: Pick<KubeThing, 'apiVersion' | 'kind' | 'metadata'>,
  type: string,
): Promise<ConditionView | undefined> {
  const live = await read(cluster, object);
  const conditions = (live?.status?.['conditions'] ?? []) as readonly ConditionView[];
  const found = conditions.find((candidate) => candidate.type === type);
  return found?.observedGeneration === live?.metadata.generation ? found : undefined;
}

/** Waits for a condition of the object as it is now. */
export async function becomes(
  cluster: ControlPlaneAccess,
  object: Pick<KubeThing, 'apiVersion' | 'kind' | 'metadata'>,
  want: Partial<ConditionView> & { readonly type: string },
): Promise<ConditionView> {
  let last: ConditionView | undefined;
  const holds = async (): Promise<ConditionView | undefined> => {
    last = await condition(cluster, object, want.type);
    if (last === undefined) return undefined;
    const isSame = Object.entries(want).every(([name, value]) => last?.[name as keyof ConditionView] === value);
    return isSame ? last : undefined;
  };
  return waitFor(holds, {
    what: `${object.kind} ${object.metadata.name} with ${JSON.stringify(want)}`,
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; it has ${JSON.stringify(last)}`);
  });
}

/** The resources of a file as they stand, in other namespaces and with other names. */
export function documents(text: string, rename: (text: string) => string): KubeThing[] {
  return parseAllDocuments(rename(text)).flatMap((document) => {
    const value: unknown = document.toJS();
    return isObject(value) ? [value as unknown as KubeThing] : [];
  });
}

/** The kind of the Gateway API by which a namespace lets others refer to what it holds, as far as its schema matters here. */
export async function installReferenceGrants(cluster: ControlPlaneAccess): Promise<void> {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open } } };
  await apply(cluster, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: 'referencegrants.gateway.networking.k8s.io',
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' },
    },
    spec: {
      group: 'gateway.networking.k8s.io',
      scope: 'Namespaced',
      names: { plural: 'referencegrants', singular: 'referencegrant', kind: 'ReferenceGrant' },
      versions: [{ name: 'v1beta1', served: true, storage: true, schema }],
    },
  });
  const path = '/apis/gateway.networking.k8s.io/v1beta1/referencegrants';
  await waitFor(async () => (await cluster.request('GET', path)).status === 200, { what: path });
}

/** A gateway process that stands for a pod of a fleet which no node runs. */
export interface PodProcess extends AsyncDisposable {
  readonly pod: string;
  /** Asks with a gateway key: the model that answers, or the status of a failed request. */
  ask(key: string, headers?: Readonly<Record<string, string>>): Promise<string | number>;
  readonly gateway: GatewayProcess;
  /** Tells the API server whether it is ready, as its kubelet would. */
  report(isReady: boolean): Promise<void>;
}

const ADMIN_PORT = '8789';

/** Waits for pods of the stage's fleet and runs each as a process with an address of loopback of its own. */
export async function runPods(stage: Stage, { count = 1 } = {}): Promise<PodProcess[]> {
  const { cluster, fleets } = stage;
  const selector = encodeURIComponent('gatehouse.dev/fleet=main');
  const pods = await waitFor(
    async () => {
      const { body } = await cluster.request('GET', `/api/v1/namespaces/${fleets}/pods?labelSelector=${selector}`);
      const items = isObject(body) && Array.isArray(body['items']) ? (body['items'] as KubeThing[]) : [];
      const idle = items.filter((pod) => !isObject(pod.status) || pod.status['podIP'] === undefined);
      return idle.length >= count ? idle.slice(0, count) : undefined;
    },
    { what: 'pods of the fleet' },
  );
  return Promise.all(pods.map(({ metadata }) => runPod(stage, metadata.name)));
}

async function runPod({ cluster, fleets, folder }: Stage, pod: string): Promise<PodProcess> {
  const [a = 0, b = 0, c = 0] = randomBytes(3);
  const ip = `127.${1 + (a % 254)}.${b}.${1 + (c % 254)}`;
  const admin = await waitFor(
    () => read(cluster, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: fleets, name: 'main-admin' } }),
    { what: 'the admin Secret' },
  );
  const home = await mkdtemp(join(folder, 'pod-'));
  await writeFile(join(home, 'token'), await cluster.serviceAccountToken(fleets, 'main-gateway'));
  await writeFile(join(home, 'ca.crt'), cluster.caPem);
  const gateway = await startGateway({
    HOST: ip,
    GATEHOUSE_ADMIN_PORT: ADMIN_PORT,
    GATEHOUSE_ADMIN_TOKEN: Buffer.from(admin.data?.['token'] ?? '', 'base64').toString('utf8'),
    GATEHOUSE_SNAPSHOT_SOURCE: 'kubernetes',
    GATEHOUSE_FLEET: 'main',
    GATEHOUSE_NAMESPACE: fleets,
    GATEHOUSE_POD_NAME: pod,
    GATEHOUSE_API_SERVER: cluster.url,
    GATEHOUSE_API_TOKEN_FILE: join(home, 'token'),
    GATEHOUSE_API_CA_FILE: join(home, 'ca.crt'),
    GATEHOUSE_SNAPSHOT_DIR: join(home, 'copy'),
    TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost',
  });
  const url = gateway.url.replace('127.0.0.1', ip);
  const report = async (isReady: boolean): Promise<void> => {
    const status = isReady ? 'True' : 'False';
    const conditions = [
      { type: 'Ready', status, lastTransitionTime: new Date().toISOString().slice(0, 19).concat('Z') },
    ];
    const body = { status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions } };
    const path = `/api/v1/namespaces/${fleets}/pods/${pod}/status`;
    await patch(cluster, path, body, 'application/strategic-merge-patch+json');
  };
  await waitFor(async () => (await fetch(`http://${ip}:${ADMIN_PORT}/readyz`)).ok, {
    what: 'a gateway with a Snapshot',
  });
  await report(true);
  return {
    pod,
    gateway,
    report,
    ask: (key, headers = {}) => ask(url, { ...headers, authorization: `Bearer ${key}` }),
    [Symbol.asyncDispose]: () => gateway.kill(),
  };
}

/** The entries of every shard in a namespace, whether or not a manifest names it. */
export async function entriesIn(cluster: ControlPlaneAccess, namespace: string): Promise<readonly AnyEntry[]> {
  const entries: AnyEntry[] = [];
  for (const kind of ['configmaps', 'secrets']) {
    const { body } = await cluster.request('GET', `/api/v1/namespaces/${namespace}/${kind}`);
    const items = isObject(body) && Array.isArray(body['items']) ? (body['items'] as KubeThing[]) : [];
    for (const { data = {} } of items) {
      const value = data['shard.json'];
      if (value === undefined) continue;
      entries.push(...JSON.parse(kind === 'secrets' ? Buffer.from(value, 'base64').toString('utf8') : value));
    }
  }
  return entries;
}

/** Everything that is published to a fleet, as text: ConfigMaps, and Secrets decoded. */
export async function publishedTo(cluster: ControlPlaneAccess, namespace: string): Promise<string> {
  const texts: string[] = [];
  for (const kind of ['configmaps', 'secrets']) {
    const { body } = await cluster.request('GET', `/api/v1/namespaces/${namespace}/${kind}`);
    const items = isObject(body) && Array.isArray(body['items']) ? (body['items'] as KubeThing[]) : [];
    for (const { data = {} } of items) {
      for (const value of Object.values(data)) {
        texts.push(kind === 'secrets' ? Buffer.from(value, 'base64').toString('utf8') : value);
      }
    }
  }
  return texts.join('\n');
}
