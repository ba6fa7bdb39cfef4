import { randomBytes } from 'node:crypto';
import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { isKindName, KINDS, type KindName } from '@gatehouse/crds/kinds';
import {
  type Certificates,
  type CertificatesOptions,
  startCertificates,
} from '../../../operator/src/certificates/index.ts';
import { createCache, type KubeClient, type KubeObject, type Store } from '../../../operator/src/runtime/index.ts';
import {
  CONSENT_LABEL,
  createSidecarView,
  type SecretData,
  type SidecarView,
  translate,
  type World,
  type WorldObject,
} from '../../../operator/src/translate/index.ts';
import {
  type AdmissionServer,
  INJECTION,
  keepRegistered,
  type RegistrationOptions,
  type ReviewReport,
  startWebhooks,
  type TranslatedWorld,
  USER_RANGE_ANNOTATION,
  VALIDATING,
} from '../../../operator/src/webhook/index.ts';
import { kindRefOf, NAMESPACES, SECRETS, type SecretObject } from '../../../operator/src/world/index.ts';
import {
  APPLY_PATCH,
  type ApiAnswer,
  type ControlPlane,
  type ControlPlaneAccess,
  installCustomResources,
  startControlPlane,
} from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { connectClient, QUICK, recordLog, running } from '../runtime/support.ts';

export const IMAGE = 'gatehouse-gateway:test';
export const ORGANISATION = 'gatehouse-system';

/** The world of a cluster, read again with every question: small, and never old. */
export interface LiveView extends SidecarView, AsyncDisposable {
  translatedWorld(): TranslatedWorld;
  isTerminating(namespace: string): boolean;
  userRangeOf(namespace: string): string | undefined;
  readonly stores: ReadonlyMap<KindName, Store<KubeObject>>;
  /** Calls back after any change. */
  subscribe(listener: () => void): Disposable;
}

export async function watchWorld(client: KubeClient): Promise<LiveView> {
  const log = recordLog();
  const cache = createCache({ client, namespaces: 'all', log, timing: QUICK });
  const kinds = Object.keys(KINDS).filter(isKindName);
  const stores = new Map(kinds.map((kind) => [kind, cache.watch<KubeObject>(kindRefOf(kind))] as const));
  const namespaces = cache.watch(NAMESPACES);
  const secrets = cache.watch(SECRETS);
  const process = running((signal) => cache.run(signal));
  await cache.synced({ signal: process.signal, timeoutMs: 120_000 });
  const toWorld = (): World => ({
    // Stores of our Kinds hold objects of our Kinds.
    resources: new Map(
      [...stores].map(([kind, { objects }]) => [kind, new Map(objects) as Map<string, WorldObject & KubeObject>]),
    ),
    secrets: { get: (key) => dataOf(secrets.get(key)) },
    namespaces: { get: (name) => toMap(namespaces.get(name)?.metadata.labels) },
    settings: {
      organisationNamespace: ORGANISATION,
      consent: 'label',
      mintsKeys: false,
      caps: DEFAULT_TARGET_CAPS,
    },
    served: 'all',
  });
  let latest: TranslatedWorld | undefined;
  const translatedWorld = (): TranslatedWorld => {
    const world = toWorld();
    latest = { world, translation: translate(world, latest?.translation) };
    return latest;
  };
  return {
    ...createSidecarView(translatedWorld),
    translatedWorld,
    stores,
    isTerminating: (name) => namespaces.get(name)?.metadata.deletionTimestamp != null,
    userRangeOf: (name) => namespaces.get(name)?.metadata.annotations?.[USER_RANGE_ANNOTATION],
    subscribe: (listener) => {
      const subscriptions = [...stores.values(), namespaces, secrets].map((store) => store.subscribe(listener));
      return {
        [Symbol.dispose]: () => {
          for (const subscription of subscriptions) subscription[Symbol.dispose]();
        },
      };
    },
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}

const toMap = (texts: Readonly<Record<string, string>> | undefined): SecretData | undefined =>
  texts === undefined ? undefined : new Map(Object.entries(texts));

const dataOf = (secret: SecretObject | undefined): SecretData | undefined =>
  toMap(
    secret?.data &&
      Object.fromEntries(
        Object.entries(secret.data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]),
      ),
  );

/** A namespace for the certificates of one test. */
export const certificatesIn = (
  client: KubeClient,
  namespace: string,
  more: Partial<CertificatesOptions> = {},
): Promise<Certificates> =>
  startCertificates({
    client,
    namespace,
    names: ['127.0.0.1', 'gatehouse-operator.gatehouse-system.svc'],
    log: recordLog(),
    signal: AbortSignal.timeout(120_000),
    ...more,
  });

export interface RunningWebhooks extends AsyncDisposable {
  readonly server: AdmissionServer;
  /** Every question that was answered, oldest first. */
  readonly reports: readonly ReviewReport[];
}

/** Webhooks that the API server knows, until they are disposed; their configurations stay. */
export async function startAll(
  client: KubeClient,
  { certificates, view, ...more }: { certificates: Certificates; view: LiveView } & Partial<RegistrationOptions>,
): Promise<RunningWebhooks> {
  const log = recordLog();
  const reports: ReviewReport[] = [];
  const server = await startWebhooks({
    certificates,
    host: '127.0.0.1',
    port: 0,
    view,
    sidecar: { image: IMAGE, snapshotServiceUrl: 'https://gatehouse-operator.gatehouse-system.svc:9090' },
    log,
    onReview: (report) => reports.push(report),
  });
  const url = `https://127.0.0.1:${server.port}`;
  const ownUser = 'system:serviceaccount:gatehouse-system:gatehouse-operator';
  const registration = running((signal) =>
    keepRegistered({ client, certificates, reach: { url }, ownUser, log, ...more }, signal),
  );
  return {
    server,
    reports,
    [Symbol.asyncDispose]: async () => {
      await registration[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';
export const VALIDATING_PATH = `${CONFIGURATIONS}/validatingwebhookconfigurations/${VALIDATING}`;
export const INJECTION_PATH = `${CONFIGURATIONS}/mutatingwebhookconfigurations/${INJECTION}`;

/** Waits until the API server calls the webhook: it reads a new configuration with a delay. */
export async function untilAsked(cluster: ControlPlaneAccess, namespace: string): Promise<void> {
  const refused = {
    ...resource('GatewayConfig', namespace, 'probe', badConfig()),
    metadata: { name: 'probe', namespace },
  };
  await waitFor(async () => (await apply(cluster, refused, { dryRun: true })).status === 422, {
    what: 'the API server asks the webhook',
  });
}

/** Valid for the schema and CEL; wrong in two places that only the whole grammar knows. */
export const badConfig = (): object => ({
  config: {
    strategy: { mode: 'fallback' },
    targets: [
      {
        strategy: { mode: 'fallback' },
        targets: [
          {
            strategy: { mode: 'fallback' },
            targets: [{ provider: 'openai', weight: 'heavy' }, { provdier: 'openai' }],
          },
        ],
      },
    ],
  },
});

export const resource = (kind: KindName, namespace: string | undefined, name: string, spec: object) => ({
  apiVersion: 'gatehouse.dev/v1alpha1',
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  spec,
});

/** An account that needs no Secret. */
export const LOCAL = { provider: 'ollama', customHost: 'http://ollama:11434' };

export interface AnyObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export function pathOf(object: AnyObject): string {
  const { apiVersion, kind, metadata } = object;
  const { namespace, name } = metadata;
  const plural = isKindName(kind) ? KINDS[kind].plural : `${kind.toLowerCase()}s`;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}/${name}`;
}

export function apply(
  cluster: ControlPlaneAccess,
  object: AnyObject,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<ApiAnswer> {
  const query = `?fieldManager=test&force=true${dryRun ? '&dryRun=All' : ''}`;
  return cluster.request('PATCH', `${pathOf(object)}${query}`, { contentType: APPLY_PATCH, body: object });
}

/** What must be accepted. */
export async function make(cluster: ControlPlaneAccess, object: AnyObject): Promise<void> {
  const { status, body } = await apply(cluster, object);
  if (status >= 300) throw new Error(`${object.kind} ${object.metadata.name}: ${status} ${JSON.stringify(body)}`);
}

/** A namespace that belongs to a workspace of the same name, where pods may have sidecars. */
export async function makeWorkspace(
  cluster: ControlPlaneAccess,
  view: LiveView,
  labels: Readonly<Record<string, string>> = { 'gatehouse.dev/injection': 'enabled' },
): Promise<string> {
  const namespace = await cluster.createNamespace(labels);
  const consent = { metadata: { labels: { [CONSENT_LABEL]: namespace } } };
  await cluster.request('PATCH', `/api/v1/namespaces/${namespace}`, {
    contentType: 'application/merge-patch+json',
    body: consent,
  });
  await make(cluster, resource('Workspace', undefined, namespace, { namespace }));
  await waitFor(() => view.workspaceOf(namespace) === namespace, { what: 'the workspace' });
  return namespace;
}

/** Until the caches have the object. */
export const untilSeen = (view: LiveView, kind: KindName, key: string): Promise<unknown> =>
  waitFor(() => view.stores.get(kind)?.get(key), { what: `${kind} ${key}` });

export const pod = (namespace: string, name: string, labels: Readonly<Record<string, string>>, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels },
  spec: { containers: [{ name: 'app', image: 'app:1' }], ...more },
});

export const randomName = (prefix: string): string => `${prefix}-${randomBytes(4).toString('hex')}`;

/** The webhooks over a cluster of their own, with a workspace that takes sidecars and one that does not. */
export interface WebhookStage extends AsyncDisposable {
  readonly cluster: ControlPlane;
  readonly client: KubeClient;
  readonly view: LiveView;
  readonly certificates: Certificates;
  readonly webhooks: RunningWebhooks;
  readonly team: string;
  readonly outsider: string;
}

export async function startWebhookStage(): Promise<WebhookStage> {
  const cluster = await startControlPlane();
  await installCustomResources(cluster);
  const client = await connectClient(cluster);
  const view = await watchWorld(client);
  const certificates = await certificatesIn(client, 'default');
  const webhooks = await startAll(client, { certificates, view });
  const team = await makeWorkspace(cluster, view);
  const outsider = await makeWorkspace(cluster, view, {});
  await untilAsked(cluster, team);
  for (const namespace of [team, outsider]) {
    await make(cluster, resource('SidecarProfile', namespace, 'default', {}));
    await untilSeen(view, 'SidecarProfile', `${namespace}/default`);
  }
  return {
    ...{ cluster, client, view, certificates, webhooks, team, outsider },
    [Symbol.asyncDispose]: async () => {
      for (const part of [webhooks, certificates, view, client, cluster]) await part[Symbol.asyncDispose]();
    },
  };
}

export const bodyOf = async (cluster: ControlPlaneAccess, path: string): Promise<Record<string, unknown>> =>
  (await cluster.request('GET', path)).body as Record<string, unknown>; // a JSON object
