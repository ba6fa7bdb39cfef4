import { request } from 'node:https';
import { createInterface } from 'node:readline';
import { CONDITION_TYPES } from '@gatehouse/crds/conditions';
import { parseFrame, readMountedCopy, type SnapshotFrame, type StreamFrame } from '@gatehouse/crds/snapshot';
import { unwrap } from '@gatehouse/test/kit';
import type { Certificates } from '../../../operator/src/certificates/index.ts';
import {
  PODS,
  podsByProfile,
  type SidecarPod,
  type SidecarProfileObject,
  sidecarProfileController,
  slimPod,
} from '../../../operator/src/kinds/sidecar-profile/index.ts';
import { createCache, createStatusWriter, type KindRef, type KubeClient } from '../../../operator/src/runtime/index.ts';
import { startSnapshotService } from '../../../operator/src/snapshot-service/index.ts';
import { kindRefOf } from '../../../operator/src/world/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { connectClient, QUICK, recordLog, running } from '../runtime/support.ts';
import {
  certificatesIn,
  type LiveView,
  make,
  makeWorkspace,
  pathOf,
  resource,
  watchWorld,
} from '../webhook/support.ts';

const AUDIENCE = 'gatehouse-snapshot';

/** Workspaces with sidecar profiles, the snapshot service, and the controller of the profiles of two workspaces. */
export interface SidecarStage extends AsyncDisposable {
  readonly cluster: ControlPlaneAccess;
  readonly client: KubeClient;
  readonly view: LiveView;
  readonly certificates: Certificates;
  readonly team: string;
  readonly other: string;
  token(namespace: string, audience?: string): Promise<string>;
  /** As a sidecar does it, with the authority that the operator tells. */
  open(bearer: string | undefined, query?: string): Promise<OpenedStream>;
  startController(namespaces: readonly string[], trust?: Pick<Certificates, 'current' | 'subscribe'>): AsyncDisposable;
  read<T>(path: string): Promise<T | undefined>;
  mounted(namespace: string): Promise<SnapshotFrame | undefined>;
  statusOf(namespace: string, name?: string): Promise<Profile['status']>;
  conditionsOf(namespace: string, name?: string): Promise<Record<string, string>>;
}

export async function startSidecarStage(): Promise<SidecarStage> {
  const cluster = sharedControlPlane();
  const client = await connectClient(cluster);
  const view = await watchWorld(client);
  const certificates = await certificatesIn(client, await cluster.createNamespace());
  const { snapshotFor, subscribe } = view;
  const service = await startSnapshotService({
    ...{ certificates, client, snapshotFor, subscribe },
    admits: (namespace) => namespace !== 'kube-system',
    host: '127.0.0.1',
    port: 0,
    log: recordLog(),
    pingMs: 200,
    maxStreamsPerNamespace: 3,
  });
  const team = await makeWorkspace(cluster, view);
  const other = await makeWorkspace(cluster, view);
  for (const namespace of [team, other]) await fill(cluster, namespace);
  const startOne: SidecarStage['startController'] = (namespaces, trust = certificates) =>
    startController({ client, view, namespaces, trust });
  const controller = startOne([team, other]);
  for (const namespace of [team, other]) {
    // Each Kind has a watch of its own: a Snapshot with the credential alone would be followed by another one.
    const isWhole = (): boolean => {
      const { entries = [] } = view.snapshotFor(namespace) ?? {};
      return entries.some(({ kind }) => kind === 'sidecar') && JSON.stringify(entries).includes(`sk-of-${namespace}`);
    };
    await waitFor(isWhole, { what: 'the profile and the credential' });
  }
  return {
    ...{ cluster, client, view, certificates, team, other, ...readersOf(cluster) },
    token: (namespace, audience = AUDIENCE) =>
      cluster.serviceAccountToken(namespace, 'default', { audiences: [audience] }),
    open: (bearer, query = '') =>
      openStream(bearer, `https://127.0.0.1:${service.port}/v1/snapshot${query}`, certificates.current.caPem),
    startController: startOne,
    [Symbol.asyncDispose]: async () => {
      for (const part of [controller, service, certificates, view, client, cluster]) await part[Symbol.asyncDispose]();
    },
  };
}

/** A profile, and an account whose credential only this workspace may see. */
async function fill(cluster: ControlPlaneAccess, namespace: string): Promise<void> {
  await make(cluster, resource('SidecarProfile', namespace, 'default', {}));
  await make(cluster, { ...secret(namespace, 'account'), stringData: { key: `sk-of-${namespace}` } } as never);
  await make(
    cluster,
    resource('VirtualKey', namespace, 'own', { provider: 'openai', secretRef: { name: 'account', key: 'key' } }),
  );
}

export const secret = (namespace: string, name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name },
});

interface Watched {
  readonly client: KubeClient;
  readonly view: LiveView;
  readonly namespaces: readonly string[];
  readonly trust: Pick<Certificates, 'current' | 'subscribe'>;
}

function startController({ client, view, namespaces, trust }: Watched): AsyncDisposable {
  const log = recordLog();
  const kind = kindRefOf('SidecarProfile') as KindRef<SidecarProfileObject>; // objects of the Kind, unread
  const cache = createCache({ client, namespaces, log, timing: QUICK });
  const profiles = cache.watch(kind);
  const pods = cache.watch<SidecarPod, 'profile'>(PODS, {
    labelSelector: 'gatehouse.dev/sidecar',
    transform: slimPod,
    indexes: { profile: podsByProfile },
  });
  const status = createStatusWriter({
    client,
    fieldManager: 'gatehouse-operator-status',
    kinds: [kind],
    maxAtOnce: 8,
    conditionTypes: CONDITION_TYPES,
    requestedAtAnnotation: 'gatehouse.dev/requestedAt',
    log,
  });
  const { subscribe } = view;
  const works = sidecarProfileController({
    ...{ client, kind, profiles, pods, subscribe, status, log },
    view: { ...view, fleetOf: () => ({ kind: 'none' }) },
    certificates: trust,
    operatorAccount: { namespace: 'gatehouse-system', name: 'gatehouse-operator' },
  });
  return running(async (signal) => {
    const parts = [cache.run(signal), status.run(signal)];
    await cache.synced({ signal, timeoutMs: 60_000 });
    await Promise.all([...parts, works.run(signal)]);
  });
}

export interface OpenedStream extends AsyncDisposable {
  readonly status: number;
  next(): Promise<StreamFrame>;
  snapshot(): Promise<SnapshotFrame>;
}

async function openStream(bearer: string | undefined, url: string, ca: string): Promise<OpenedStream> {
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
  const asked = request(
    url,
    {
      ca,
      headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
      signal: AbortSignal.timeout(240_000),
    },
    resolve,
  );
  asked.on('error', reject).end();
  const answer = await promise;
  answer.on('error', () => {}); // the end of the test
  const lines = createInterface({ input: answer })[Symbol.asyncIterator]();
  const next = async (): Promise<StreamFrame> => unwrap(parseFrame((await lines.next()).value ?? ''));
  const snapshot = async (): Promise<SnapshotFrame> => {
    for (;;) {
      const frame = await next();
      if (frame.kind === 'snapshot') return frame;
    }
  };
  return {
    status: answer.statusCode ?? 0,
    next,
    snapshot,
    [Symbol.asyncDispose]: async () => {
      asked.destroy();
    },
  };
}

export interface Copy {
  readonly metadata: { readonly ownerReferences: readonly { readonly name: string }[] };
  readonly data: Readonly<Record<string, string>>;
  readonly binaryData: Readonly<Record<string, string>>;
}

export interface Profile {
  readonly metadata: { readonly generation: number };
  readonly status?: Readonly<Record<string, unknown>>;
}

export const copyPaths = (namespace: string) => ({
  config: `/api/v1/namespaces/${namespace}/configmaps/gatehouse-sidecar-snapshot`,
  secret: `/api/v1/namespaces/${namespace}/secrets/gatehouse-sidecar-snapshot`,
});

function readersOf(cluster: ControlPlaneAccess): Pick<SidecarStage, 'read' | 'mounted' | 'statusOf' | 'conditionsOf'> {
  async function read<T>(path: string): Promise<T | undefined> {
    const { status, body } = await cluster.request('GET', path);
    return status === 200 ? (body as T) : undefined; // as the test knows it
  }
  async function mounted(namespace: string): Promise<SnapshotFrame | undefined> {
    const paths = copyPaths(namespace);
    const [config, hidden] = [await read<Copy>(paths.config), await read<Copy>(paths.secret)];
    const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64');
    const copy = readMountedCopy({
      config: bytes(config?.binaryData?.['snapshot.json.gz']),
      secret: bytes(hidden?.data?.['snapshot.json.gz']),
    });
    return copy.ok ? copy.value : undefined;
  }
  const statusOf = async (namespace: string, name = 'default') =>
    (await read<Profile>(pathOf(resource('SidecarProfile', namespace, name, {}))))?.status;
  const conditionsOf = async (namespace: string, name?: string): Promise<Record<string, string>> => {
    const { conditions = [] } = ((await statusOf(namespace, name)) ?? {}) as {
      conditions?: { type: string; status: string; reason: string }[];
    };
    return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
  };
  return { read, mounted, statusOf, conditionsOf };
}
