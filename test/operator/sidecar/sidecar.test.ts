import { request } from 'node:https';
import { createInterface } from 'node:readline';
import { CONDITION_TYPES } from '@gatehouse/crds/conditions';
import { parseFrame, readMountedCopy, type SnapshotFrame, type StreamFrame } from '@gatehouse/crds/snapshot';
import { unwrap } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
import { type SnapshotService, startSnapshotService } from '../../../operator/src/snapshot-service/index.ts';
import { kindRefOf } from '../../../operator/src/world/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { connectClient, QUICK, recordLog, running } from '../runtime/support.ts';
import {
  certificatesIn,
  type LiveView,
  LOCAL,
  make,
  makeWorkspace,
  ORGANISATION,
  pathOf,
  pod,
  resource,
  watchWorld,
} from '../webhook/support.ts';

let cluster: ControlPlaneAccess;
let client: KubeClient;
let view: LiveView;
let certificates: Certificates;
let service: SnapshotService;
let controller: AsyncDisposable;
let team: string;
let other: string;

const AUDIENCE = 'gatehouse-snapshot';
const token = (namespace: string, audience = AUDIENCE): Promise<string> =>
  cluster.serviceAccountToken(namespace, 'default', { audiences: [audience] });

beforeAll(async () => {
  cluster = sharedControlPlane();
  client = await connectClient(cluster);
  view = await watchWorld(client);
  const home = await cluster.createNamespace();
  certificates = await certificatesIn(client, home);
  const { snapshotFor, subscribe } = view;
  service = await startSnapshotService({
    ...{ certificates, client, snapshotFor, subscribe },
    admits: (namespace) => namespace !== 'kube-system',
    host: '127.0.0.1',
    port: 0,
    log: recordLog(),
    pingMs: 200,
    maxStreamsPerNamespace: 3,
  });
  team = await makeWorkspace(cluster, view);
  other = await makeWorkspace(cluster, view);
  for (const namespace of [team, other]) {
    await make(cluster, resource('SidecarProfile', namespace, 'default', {}));
    await make(cluster, { ...secret(namespace, 'account'), stringData: { key: `sk-of-${namespace}` } } as never);
    await make(
      cluster,
      resource('VirtualKey', namespace, 'own', { provider: 'openai', secretRef: { name: 'account', key: 'key' } }),
    );
  }
  controller = startController([team, other]);
  for (const namespace of [team, other]) {
    const published = () => JSON.stringify(view.snapshotFor(namespace) ?? {});
    await waitFor(() => published().includes(`sk-of-${namespace}`), { what: 'the credential' });
  }
});
afterAll(async () => {
  for (const part of [controller, service, certificates, view, client, cluster]) await part?.[Symbol.asyncDispose]();
});

const secret = (namespace: string, name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name },
});

function startController(
  namespaces: readonly string[],
  trust: Pick<Certificates, 'current' | 'subscribe'> = certificates,
): AsyncDisposable {
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
    await cache.synced({ signal, timeoutMs: 10_000 });
    await Promise.all([...parts, works.run(signal)]);
  });
}

interface OpenedStream extends AsyncDisposable {
  readonly status: number;
  next(): Promise<StreamFrame>;
  snapshot(): Promise<SnapshotFrame>;
}

/** As a sidecar does it, with the authority that the operator tells. */
async function open(bearer: string | undefined, query = ''): Promise<OpenedStream> {
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
  const asked = request(
    `https://127.0.0.1:${service.port}/v1/snapshot${query}`,
    {
      ca: certificates.current.caPem,
      headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
      signal: AbortSignal.timeout(20_000),
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

describe('the snapshot service', () => {
  test('sends a pod the Snapshot of its own workspace, with its own credentials only', async () => {
    await using stream = await open(await token(team));
    const text = JSON.stringify(await stream.snapshot());
    expect(text).toContain(`sk-of-${team}`);
    expect(text).not.toContain(`sk-of-${other}`);
    expect(text).not.toContain(other);
  });

  test('sends what changes, and pings in between', async () => {
    await using stream = await open(await token(team));
    const first = await stream.snapshot();
    expect(await stream.next()).toEqual({ kind: 'ping' });
    await make(cluster, resource('GatewayConfig', team, 'fresh', { config: { provider: '@own' } }));
    const second = await stream.snapshot();
    expect(second.version).not.toBe(first.version);
    expect(second.entries.map(({ id }) => id)).toContain(`config/${team}/fresh`);
    await using again = await open(await token(team), `?have=${second.version}`);
    expect(await again.next()).toEqual({ kind: 'ping' });
  });

  test.for([
    { rule: 'nobody', bearer: async () => undefined, status: 401 },
    {
      rule: 'a token for the API server',
      bearer: () => token(team, 'https://kubernetes.default.svc.cluster.local'),
      status: 401,
    },
    { rule: 'no token at all', bearer: async () => 'made-up', status: 401 },
    { rule: 'the administrator', bearer: async () => cluster.adminToken, status: 401 },
  ])('refuses $rule', async ({ bearer, status }) => {
    await using stream = await open(await bearer());
    expect(stream.status).toBe(status);
  });

  test('sends a pod outside every workspace an empty Snapshot', async () => {
    await using stream = await open(await token('default'));
    expect((await stream.snapshot()).entries).toEqual([]);
  });

  test('keeps the slots of served sidecars from those with an empty Snapshot', async () => {
    const namespace = await cluster.createNamespace();
    const bearer = await token(namespace);
    const streams: OpenedStream[] = [];
    try {
      for (let i = 0; i < 4; i += 1) streams.push(await open(bearer));
      expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      await using served = await open(await token(team));
      expect(served.status).toBe(200);
    } finally {
      for (const stream of streams) await stream[Symbol.asyncDispose]();
    }
  });

  test('turns away more streams than a namespace may have', async () => {
    const bearer = await token(other);
    const streams = [await open(bearer), await open(bearer), await open(bearer)];
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await open(bearer)).status).toBe(503);
    for (const stream of streams) await stream[Symbol.asyncDispose]();
    await waitFor(async () => {
      await using stream = await open(bearer);
      return stream.status === 200;
    });
  });
});

interface Copy {
  readonly metadata: { readonly ownerReferences: readonly { readonly name: string }[] };
  readonly data: Readonly<Record<string, string>>;
  readonly binaryData: Readonly<Record<string, string>>;
}

async function read<T>(path: string): Promise<T | undefined> {
  const { status, body } = await cluster.request('GET', path);
  return status === 200 ? (body as T) : undefined; // as the test knows it
}

const copyPaths = (namespace: string) => ({
  config: `/api/v1/namespaces/${namespace}/configmaps/gatehouse-sidecar-snapshot`,
  secret: `/api/v1/namespaces/${namespace}/secrets/gatehouse-sidecar-snapshot`,
});

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

interface Profile {
  readonly metadata: { readonly generation: number };
  readonly status?: Readonly<Record<string, unknown>>;
}

const statusOf = async (namespace: string, name = 'default') =>
  (await read<Profile>(pathOf(resource('SidecarProfile', namespace, name, {}))))?.status;
const conditionsOf = async (namespace: string, name?: string): Promise<Record<string, string>> => {
  const { conditions = [] } = ((await statusOf(namespace, name)) ?? {}) as {
    conditions?: { type: string; status: string; reason: string }[];
  };
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
};

describe('the mounted copy', () => {
  test('has the Snapshot whatever is wrong with a profile', async () => {
    const namespace = await makeWorkspace(cluster, view);
    await make(
      cluster,
      resource('SidecarProfile', namespace, 'default', { defaults: { configRef: { name: 'gone' } } }),
    );
    await using _controller = startController([namespace]);
    await waitFor(async () => (await mounted(namespace))?.entries.some(({ kind }) => kind === 'sidecar'));
  });

  test('holds the Snapshot of the stream, and the trusted authorities', async () => {
    await make(cluster, resource('GatewayConfig', team, 'mounted', { config: { provider: '@own' } }));
    const frame = await waitFor(async () => {
      const copy = await mounted(team);
      return copy?.entries.some(({ id }) => id === `config/${team}/mounted`) ? copy : undefined;
    });
    await waitFor(() => view.snapshotFor(team)?.version === frame.version);
    expect(JSON.stringify(frame)).toContain(`sk-of-${team}`);
    const config = await read<Copy>(copyPaths(team).config);
    expect(config?.data['ca.crt']).toBe(certificates.current.caPem);
    expect(JSON.stringify(config)).not.toContain('sk-of');
  });

  test('follows the authority of the snapshot service', async () => {
    const namespace = await makeWorkspace(cluster, view);
    await make(cluster, resource('SidecarProfile', namespace, 'default', {}));
    const lifetimes = { authorityMs: 9_000, leafMs: 4_500, settleMs: 1_000 };
    await using rotated = await certificatesIn(client, namespace, { lifetimes });
    const first = rotated.current.caPem;
    await using _controller = startController([namespace], rotated);
    const authorities = async () => (await read<Copy>(copyPaths(namespace).config))?.data['ca.crt'];
    await waitFor(async () => (await authorities()) === first, { what: 'the first authority' });
    // The copy has both for as long as certificates of the old one may be shown.
    const both = await waitFor(async () => [await authorities()].find((text) => text !== undefined && text !== first), {
      what: 'a second authority',
    });
    expect(both.startsWith(first)).toBe(true);
  });

  test('is put back when it is removed', async () => {
    await waitFor(() => mounted(other));
    await cluster.request('DELETE', copyPaths(other).secret);
    await waitFor(() => mounted(other), { what: 'the Secret again' });
  });

  test('does not go back to what a backup holds of it', async () => {
    const old = await Promise.all(Object.values(copyPaths(team)).map((path) => read<Copy>(path)));
    await make(cluster, resource('GatewayConfig', team, 'later', { config: { provider: '@own' } }));
    const isLater = async () => (await mounted(team))?.entries.some(({ id }) => id === `config/${team}/later`) ?? false;
    await waitFor(isLater, { what: 'the edit' });
    for (const [i, path] of Object.values(copyPaths(team)).entries()) {
      const { metadata, ...body } = old[i] as Copy & { metadata: { name: string } }; // it was there
      const { resourceVersion: _, ...identity } = metadata as typeof metadata & { resourceVersion?: string };
      const put = await cluster.request('PUT', path, { body: { ...body, metadata: identity } });
      expect(put.status).toBe(200);
    }
    await waitFor(isLater, { what: 'the edit again' });
    const { version } = (await mounted(team)) ?? {};
    expect(version).toBe(view.snapshotFor(team)?.version);
  });

  test('belongs to all profiles of the namespace and goes with the last one', async () => {
    const namespace = await makeWorkspace(cluster, view);
    await using _controller = startController([namespace]);
    for (const name of ['a', 'b']) await make(cluster, resource('SidecarProfile', namespace, name, {}));
    const owners = async () =>
      (await read<Copy>(copyPaths(namespace).config))?.metadata.ownerReferences.map(({ name }) => name);
    await waitFor(async () => JSON.stringify(await owners()) === '["a","b"]', { what: 'two owners' });
    await cluster.request('DELETE', pathOf(resource('SidecarProfile', namespace, 'a', {})));
    await waitFor(async () => JSON.stringify(await owners()) === '["b"]', { what: 'one owner' });
    await cluster.request('DELETE', pathOf(resource('SidecarProfile', namespace, 'b', {})));
    const paths = copyPaths(namespace);
    await waitFor(async () => (await read(paths.config)) === undefined && (await read(paths.secret)) === undefined, {
      what: 'the end of the copies',
    });
  });
});

const relabel = (namespace: string, workspace: string | null) =>
  cluster.request('PATCH', `/api/v1/namespaces/${namespace}`, {
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels: { 'gatehouse.dev/workspace': workspace } } },
  });
const withoutInjection = (namespace: string) =>
  cluster.request('PATCH', `/api/v1/namespaces/${namespace}`, {
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels: { 'gatehouse.dev/injection': null } } },
  });
const deleteWorkspace = (name: string) => cluster.request('DELETE', pathOf(resource('Workspace', undefined, name, {})));

/** Gives the generation that is suspended. */
async function suspend(namespace: string): Promise<number> {
  const { body } = await cluster.request('PATCH', pathOf(resource('SidecarProfile', namespace, 'default', {})), {
    contentType: 'application/merge-patch+json',
    body: { spec: { suspend: true } },
  });
  return (body as Profile).metadata.generation; // the API server counts
}

/** A workspace with a copy and a stream that has begun. */
async function startServed() {
  const namespace = await makeWorkspace(cluster, view);
  await make(cluster, resource('VirtualKey', namespace, 'served', LOCAL));
  await make(cluster, resource('SidecarProfile', namespace, 'default', {}));
  const stream = await open(await token(namespace));
  const isServed = () => stream.snapshot().then(({ entries }) => JSON.stringify(entries).includes('served'));
  await waitFor(isServed, { what: 'a stream of what is served' });
  return { namespace, stream };
}

const copiesLeft = async (namespace: string): Promise<string[]> => {
  const paths = Object.values(copyPaths(namespace));
  const found = await Promise.all(paths.map((path) => read(path)));
  return paths.filter((_, i) => found[i] !== undefined);
};

describe('consent that is taken back', () => {
  test.for([
    { rule: 'by the namespace', takeBack: (namespace: string) => relabel(namespace, null) },
    {
      rule: 'in favour of a Workspace that does not exist',
      takeBack: (namespace: string) => relabel(namespace, 'somebody-else'),
    },
    { rule: 'with the Workspace', takeBack: deleteWorkspace },
    { rule: 'with the injection label', takeBack: withoutInjection, reason: 'RefNotPermitted' },
  ])('$rule ends what sidecars serve, at once and for new streams', async ({ takeBack, reason }) => {
    const { namespace, stream } = await startServed();
    await using _stream = stream;
    await using _controller = startController([namespace]);
    await waitFor(async () => (await copiesLeft(namespace)).length === 2, { what: 'the copy' });
    await takeBack(namespace);
    expect((await stream.snapshot()).entries).toEqual([]);
    await waitFor(async () => (await copiesLeft(namespace)).length === 0, { what: 'the end of the copy' });
    await using again = await open(await token(namespace));
    expect((await again.snapshot()).entries).toEqual([]);
    expect(await conditionsOf(namespace)).toMatchObject({ ResolvedRefs: `False ${reason ?? 'RefNotFound'}` });
  });

  test.for([
    { rule: 'at once', away: false },
    { rule: 'when the operator was away meanwhile', away: true },
  ])('ends the copy of profiles that are suspended, $rule', async ({ away }) => {
    const { namespace, stream } = await startServed();
    await using _stream = stream;
    const before = startController([namespace]);
    await using _before = before;
    await waitFor(async () => (await copiesLeft(namespace)).length === 2, { what: 'the copy' });
    const suspended = await suspend(namespace);
    await waitFor(async () => (await statusOf(namespace))?.['observedGeneration'] === suspended, { what: 'its rest' });
    expect((await copiesLeft(namespace)).length).toBe(2);
    if (away) await before[Symbol.asyncDispose]();
    await relabel(namespace, null);
    await waitFor(() => view.workspaceOf(namespace) === undefined);
    await using _after = away ? startController([namespace]) : undefined;
    await waitFor(async () => (await copiesLeft(namespace)).length === 0, { what: 'the end of the copy' });
  });

  test('leaves nothing of what was made while no operator was there', async () => {
    const { namespace, stream } = await startServed();
    await stream[Symbol.asyncDispose]();
    {
      await using _controller = startController([namespace]);
      await waitFor(async () => (await copiesLeft(namespace)).length === 2, { what: 'the copy' });
    }
    await relabel(namespace, null);
    await waitFor(() => view.workspaceOf(namespace) === undefined);
    await using _controller = startController([namespace]);
    await waitFor(async () => (await copiesLeft(namespace)).length === 0, { what: 'the end of the copy' });
  });

  test('and given again brings everything back', async () => {
    const { namespace, stream } = await startServed();
    await using _stream = stream;
    await using _controller = startController([namespace]);
    await waitFor(async () => (await copiesLeft(namespace)).length === 2, { what: 'the copy' });
    await relabel(namespace, null);
    await waitFor(async () => (await copiesLeft(namespace)).length === 0, { what: 'the end of the copy' });
    await relabel(namespace, namespace);
    await waitFor(async () => (await stream.snapshot()).entries.length > 0, { what: 'entries on the same stream' });
    await waitFor(() => mounted(namespace), { what: 'the copy again' });
  });

  test('leaves a Secret of another owner alone that has the name of the copy', async () => {
    const namespace = await makeWorkspace(cluster, view);
    await relabel(namespace, null);
    await waitFor(() => view.workspaceOf(namespace) === undefined);
    await make(cluster, secret(namespace, 'gatehouse-sidecar-snapshot'));
    await make(cluster, resource('SidecarProfile', namespace, 'default', {}));
    await using _controller = startController([namespace]);
    await waitFor(async () => (await conditionsOf(namespace))['ResolvedRefs'] === 'False RefNotFound');
    expect(await copiesLeft(namespace)).toEqual([copyPaths(namespace).secret]);
  });
});

describe('the status of a profile', () => {
  test('is ready once the copy is there, and counts pods', async () => {
    const all = {
      Accepted: 'True Accepted',
      ResolvedRefs: 'True ResolvedRefs',
      Programmed: 'True Programmed',
      Ready: 'True Succeeded',
    };
    await waitFor(async () => (await conditionsOf(team))['Ready'] === 'True Succeeded');
    expect(await conditionsOf(team)).toEqual(all);
    const labels = { 'gatehouse.dev/sidecar': 'default' };
    const injected = pod(team, 'with', labels, {
      initContainers: [{ name: 'gatehouse', image: 'g:1', restartPolicy: 'Always' }],
    });
    const annotations = { 'gatehouse.dev/injected': 'default' };
    await make(cluster, { ...injected, metadata: { ...injected.metadata, annotations } } as never);
    await make(cluster, pod(team, 'missed', labels));
    await waitFor(async () => (await statusOf(team))?.['missedPods'] === 1);
    expect(await statusOf(team)).toMatchObject({
      injectedPods: 1,
      missedPods: 1,
      snapshotVersion: (await mounted(team))?.version,
    });
  });

  test('names what its sidecars refuse, and the credential for it never comes near them', async () => {
    const namespace = await makeWorkspace(cluster, view);
    await using _controller = startController([namespace]);
    await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: ORGANISATION } } }); // or it is there
    const names = { shared: `shared-${namespace}`, account: `account-${namespace}` };
    await make(cluster, { ...secret(ORGANISATION, names.account), stringData: { key: 'sk-organisation' } } as never);
    const spec = { provider: 'openai', secretRef: { name: names.account, key: 'key' } };
    await make(cluster, resource('Integration', ORGANISATION, names.shared, spec));
    const grant = { integrationRef: { name: names.shared }, workspaceRef: { name: namespace } };
    await make(cluster, resource('IntegrationAccess', ORGANISATION, names.shared, grant));
    await make(cluster, resource('Provider', namespace, 'main', { integrationRef: { name: names.shared } }));
    await make(cluster, resource('SidecarProfile', namespace, 'default', {}));
    const named = async () => JSON.stringify(await statusOf(namespace)).includes('Provider/main');
    await waitFor(named, { what: 'the provider in the status' });
    expect((await conditionsOf(namespace))['Ready']).toBe('True Succeeded');
    await using stream = await open(await token(namespace));
    const content = JSON.stringify([await stream.snapshot(), await mounted(namespace)]);
    expect(content).toContain('"needsFleet":true');
    expect(content).not.toContain('sk-organisation');
  });

  test('names a copy that the API server does not take, until the object in its place is removed', async () => {
    const namespace = await makeWorkspace(cluster, view);
    await make(cluster, { ...secret(namespace, 'gatehouse-sidecar-snapshot'), immutable: true } as never);
    await using _controller = startController([namespace]);
    await make(cluster, resource('SidecarProfile', namespace, 'default', {}));
    const want = { Programmed: 'False Invalid', Ready: 'False Invalid', Stalled: 'True Invalid' };
    await waitFor(async () => (await conditionsOf(namespace))['Stalled'] === want.Stalled, { what: want.Stalled });
    expect(await conditionsOf(namespace)).toMatchObject(want);
    expect(JSON.stringify(await statusOf(namespace))).toContain('Secret gatehouse-sidecar-snapshot: data');
    await cluster.request('DELETE', copyPaths(namespace).secret);
    await waitFor(async () => (await conditionsOf(namespace))['Ready'] === 'True Succeeded', { what: 'a copy' });
  });

  test.for([
    {
      rule: 'names a config that is not there',
      spec: { defaults: { configRef: { name: 'nowhere' } } },
      want: { ResolvedRefs: 'False RefNotFound', Ready: 'False RefNotFound', Stalled: 'True RefNotFound' },
    },
    {
      rule: 'is suspended',
      spec: { suspend: true },
      want: { Programmed: 'Unknown Pending', Ready: 'Unknown Pending' },
    },
  ])('says when it $rule', async ({ spec, want }) => {
    const name = `p-${Object.keys(spec)[0]?.toLowerCase()}`;
    await make(cluster, resource('SidecarProfile', team, name, spec));
    await waitFor(async () => (await conditionsOf(team, name))['Ready'] === want.Ready, { what: want.Ready });
    expect(await conditionsOf(team, name)).toMatchObject(want);
  });
});
