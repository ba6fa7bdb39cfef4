import { unwrap } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Place, ResourceStore, StoredObject } from '../../../operator/src/management/index.ts';
import { createKubernetesStore } from '../../../operator/src/management/store/kubernetes/index.ts';
import type { KubeClient } from '../../../operator/src/runtime/index.ts';
import { type CustomObject, kindRefOf, SECRETS } from '../../../operator/src/world/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { describeStore, type OpenedStore } from '../../conformance/resource-store/suite.ts';
import { connectClient, QUICK, recordLog, running } from '../runtime/support.ts';
import { apply, makeWorkspace, resource, watchWorld } from '../webhook/support.ts';

interface OpenedCluster extends OpenedStore {
  readonly cluster: ControlPlaneAccess;
  /** As administrator. */
  readonly client: KubeClient;
}

/** What management may do in the namespaces of workspaces. */
const RULES = [
  { apiGroups: ['gatehouse.dev'], resources: ['*'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'patch'] },
];

/** A store with the rights of management, in two workspaces of the cluster of this run. */
async function openClusterStore(): Promise<OpenedCluster> {
  await using started = new AsyncDisposableStack();
  const cluster = sharedControlPlane();
  const client = started.use(await connectClient(cluster));
  const view = started.use(await watchWorld(client));
  const namespaces = [await makeWorkspace(cluster, view), await makeWorkspace(cluster, view)] as const;
  const own = started.use(await connectClient(cluster, { token: await accountWith(cluster, namespaces[0]) }));
  const store = createKubernetesStore({ client: own, view, ...settings() });
  started.use(running((signal) => store.run(signal)));
  unwrap(await store.synced({ signal: AbortSignal.timeout(120_000), timeoutMs: 120_000 }));
  const parts = started.move();
  return {
    ...{ cluster, client, namespaces, store: store.resources },
    secret: async (name) => {
      const found = await unlessGone(client.get(SECRETS, { namespace: namespaces[0], name }, { signal }));
      return found && textsOf(found.data);
    },
    makeSecret: async (name, entries, belongsTo) => {
      const data = Object.fromEntries(Object.entries(entries).map(([key, text]) => [key, btoa(text)]));
      const annotations = belongsTo === undefined ? {} : { 'gatehouse.dev/belongs-to': belongsTo };
      const metadata = { name, namespace: namespaces[0], annotations };
      await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata, data }, { signal });
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

const settings = () =>
  ({ namespaces: 'all', log: recordLog(), timing: QUICK, signal: AbortSignal.timeout(600_000) }) as const;

/** The token of an account with these rights. */
async function accountWith(cluster: ControlPlaneAccess, namespace: string): Promise<string> {
  const name = `management-${namespace}`;
  const token = await cluster.serviceAccountToken(namespace, 'management');
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const made = [
    await cluster.request('POST', `${rbac}/clusterroles`, { body: { metadata: { name }, rules: RULES } }),
    await cluster.request('POST', `${rbac}/clusterrolebindings`, {
      body: {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ kind: 'ServiceAccount', name: 'management', namespace }],
      },
    }),
  ];
  expect(made.map(({ status }) => status)).toEqual([201, 201]);
  return token;
}

describeStore('Kubernetes', openClusterStore, { reviews: true });

const PLAIN = { force: false };
const FORCED = { force: true };
const POLICY = {
  displayName: 'Slow',
  conditions: [{ key: 'model', values: ['@openai/*'] }],
  groupBy: [{ key: 'api_key' }],
  type: 'requests',
  unit: 'rpm',
  value: 10,
} as const;
const signal = AbortSignal.timeout(600_000);

type Policy = StoredObject<'RateLimitPolicy'>;

/** Knows nothing of the installation. */
const BLIND = { translatedWorld: () => undefined, isTerminating: () => false };

/** A client that is cut off after so many calls that write. */
function cutAfter(client: KubeClient, calls: number): KubeClient {
  let left = calls;
  const counted = <A extends readonly unknown[], R>(call: (...given: A) => Promise<R>) => {
    return (...given: A): Promise<R> => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('cut off')) : call(...given);
    };
  };
  const { apply: applying, create, mergePatch } = client;
  // Verbs keep their types.
  const cut = { apply: counted(applying), create: counted(create), mergePatch: counted(mergePatch) };
  return { ...client, ...(cut as Pick<KubeClient, 'apply' | 'create' | 'mergePatch'>) };
}

const textsOf = (data: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));

const unlessGone = async <T>(call: Promise<T>): Promise<T | undefined> =>
  call.catch((error: unknown) => {
    expect(error).toMatchObject({ reason: 'NotFound' });
    return undefined;
  });

describe('a store over the API server', () => {
  let opened: OpenedCluster;
  let store: ResourceStore;
  let count = 0;
  beforeAll(async () => {
    opened = await openClusterStore();
    ({ store } = opened);
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());

  const fresh = <K extends 'RateLimitPolicy' | 'VirtualKey'>(kind: K): Place<K> => {
    count += 1;
    return { kind, namespace: opened.namespaces[0], name: `object-${count}` };
  };
  /** As `kubectl apply --server-side` of another manager does. */
  const applied = async ({ namespace, name }: Place, spec: object): Promise<void> => {
    const { status, body } = await apply(opened.cluster, resource('RateLimitPolicy', namespace, name, spec));
    expect(status, JSON.stringify(body)).toBeLessThan(300);
  };
  const seen = (place: Place, has: (object: StoredObject) => boolean) =>
    expect.poll(async () => has((await store.get(place)) as StoredObject), { timeout: 120_000 }).toBe(true);
  const secretOf = (namespace: string | undefined, name: string) =>
    opened.client.get(SECRETS, { namespace, name }, { signal });

  test('makes one of many objects that are created in the same place at the same time', async () => {
    const place = fresh('RateLimitPolicy');
    const other = createKubernetesStore({
      client: opened.client,
      view: BLIND,
      ...settings(),
    });
    await using _ = running((ending) => other.run(ending));
    unwrap(await other.synced({ signal, timeoutMs: 120_000 }));
    const outcomes = await Promise.all(
      [store, other.resources].flatMap((one) =>
        [1, 2, 3].map((value) => one.create(place, { spec: { ...POLICY, value } }, PLAIN)),
      ),
    );
    const made = outcomes.filter(({ ok }) => ok).map((outcome) => unwrap(outcome));
    expect(made.length).toBe(1);
    expect(outcomes.filter((one) => !one.ok && one.error.kind === 'exists').length).toBe(5);
    expect((await store.get(place))?.spec.value).toBe(made[0]?.spec.value);
  });

  test('keeps the fields that others have set, and names their owner for a change of one', async () => {
    const place = fresh('RateLimitPolicy');
    await applied(place, POLICY);
    await seen(place, (object) => object !== undefined);
    const describe = ({ spec }: Policy) => ({ spec: { ...spec, description: 'of REST' } });
    expect(unwrap(await store.update(place, describe, PLAIN)).spec).toMatchObject({
      ...POLICY,
      description: 'of REST',
    });
    const raise = ({ spec }: Policy) => ({ spec: { ...spec, value: 20 } });
    const refused = await store.update(place, raise, PLAIN);
    expect(refused).toEqual({ ok: false, error: { kind: 'owned', owner: 'test', fields: ['spec.value'] } });
    expect(unwrap(await store.update(place, raise, FORCED)).spec.value).toBe(20);
    await applied(place, { ...POLICY, value: 30 });
    await seen(place, ({ spec }) => (spec as Policy['spec']).value === 30);
    expect((await store.get(place))?.spec.description).toBe('of REST');
  });

  test('takes a field away that others have set, where it is forced', async () => {
    const place = fresh('RateLimitPolicy');
    await applied(place, POLICY);
    await seen(place, (object) => object !== undefined);
    const change = ({ spec }: Policy) => ({ spec: { ...spec, displayName: undefined, value: 40 } });
    const refused = await store.update(place, change, PLAIN);
    const fields = ['spec.displayName', 'spec.value'];
    expect(refused).toMatchObject({ ok: false, error: { kind: 'owned', owner: 'test', fields } });
    const { spec } = unwrap(await store.update(place, change, FORCED));
    expect(spec).not.toHaveProperty('displayName');
    expect(spec.value).toBe(40);
    const back = ({ spec: now }: Policy) => ({ spec: { ...now, displayName: 'Back', value: 50 } });
    expect(unwrap(await store.update(place, back, PLAIN)).spec).toMatchObject({ displayName: 'Back', value: 50 });
    const shorter = ({ spec: now }: Policy) => ({ spec: { ...now, displayName: undefined } });
    expect(unwrap(await store.update(place, shorter, PLAIN)).spec).not.toHaveProperty('displayName');
  });

  test('owns what it has set and nothing else', async () => {
    const place = fresh('RateLimitPolicy');
    unwrap(await store.create(place, { spec: POLICY }, PLAIN));
    const shorter = ({ spec }: Policy) => ({ spec: { ...spec, displayName: undefined, groupBy: [{ key: 'model' }] } });
    const { spec } = unwrap(await store.update(place, shorter, PLAIN));
    expect(spec.groupBy).toEqual([{ key: 'model' }]);
    const live = await opened.client.get(kindRefOf('RateLimitPolicy'), place, { signal });
    const managers = (live.metadata as { managedFields?: readonly { manager: string; operation: string }[] })
      .managedFields;
    expect(managers?.map(({ manager, operation }) => `${manager} ${operation}`)).toEqual([
      'gatehouse-management Apply',
    ]);
  });

  test('takes nested values away, also those whose schema is open', async () => {
    const place = { kind: 'GatewayConfig', namespace: opened.namespaces[0], name: 'nested' } as const;
    const params = { temperature: 1, response_format: { type: 'json_schema' }, stop: ['a', 'b'] };
    const config = {
      provider: 'ollama',
      customHost: 'http://ollama:11434',
      retry: { attempts: 3 },
      overrideParams: params,
    };
    unwrap(await store.create(place, { spec: { config } }, PLAIN));
    const { retry: _, ...others } = config;
    const wanted = { ...others, overrideParams: { temperature: null, stop: ['b'] }, cache: { mode: 'simple' } };
    const after = unwrap(await store.update(place, () => ({ spec: { config: wanted } }), PLAIN));
    expect(after.spec.config).toMatchObject(wanted);
    const live = await opened.client.get<CustomObject>(kindRefOf('GatewayConfig'), place, { signal });
    expect(live.spec).not.toHaveProperty('config.retry');
    expect(live.spec).toHaveProperty('config.overrideParams', wanted.overrideParams);
    const bare = { provider: config.provider, customHost: config.customHost };
    unwrap(await store.update(place, () => ({ spec: { config: bare } }), PLAIN));
    const left = await opened.client.get<CustomObject>(kindRefOf('GatewayConfig'), place, { signal });
    expect(left.spec).toEqual({ config: bare });
  });

  test('keeps credentials in a Secret that goes with the object, without the right to read it', async () => {
    const place = fresh('VirtualKey');
    const { namespace, name } = place;
    const spec = { provider: 'openai', secretRef: { name, key: 'apiKey' } };
    const made = unwrap(await store.create(place, { spec, secret: { name, entries: { apiKey: 'one' } } }, PLAIN));
    const { metadata } = await secretOf(namespace, name);
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'VirtualKey', name, uid: made.meta.uid }]);
  });

  test('leaves the old or the new object, wherever a write is cut off', async () => {
    const states = new Set<string>();
    for (let calls = 0; calls < 8; calls += 1) {
      const place = fresh('VirtualKey');
      const { namespace, name } = place;
      const spec = { provider: 'openai', secretRef: { name, key: 'apiKey' } };
      const draft = (value: string) => ({
        spec: { ...spec, description: value },
        secret: { name, entries: { apiKey: value } },
      });
      const cut = createKubernetesStore({ client: cutAfter(opened.client, calls), view: BLIND, ...settings() });
      await using _ = running((ending) => cut.run(ending));
      unwrap(await cut.synced({ signal, timeoutMs: 120_000 }));
      await cut.resources.create(place, draft('new'), PLAIN).catch(() => undefined); // the process would be gone
      const live = await unlessGone(opened.client.get<CustomObject>(kindRefOf('VirtualKey'), place, { signal }));
      states.add(live === undefined ? 'none' : 'new');
      if (live !== undefined) {
        expect(live.spec).toMatchObject(draft('new').spec);
        expect(textsOf((await secretOf(namespace, name)).data)).toEqual({ apiKey: 'new' });
        continue;
      }
      unwrap(await store.create(place, draft('again'), PLAIN));
      expect(textsOf((await secretOf(namespace, name)).data)).toEqual({ apiKey: 'again' });
    }
    expect([...states].sort()).toEqual(['new', 'none']);
  });

  test('says where it has no right to write', async () => {
    const place = { kind: 'RateLimitPolicy', namespace: 'no-such-namespace', name: 'a' } as const;
    const refused = await store.create(place, { spec: POLICY }, PLAIN);
    expect(refused).toMatchObject({
      ok: false,
      error: { kind: 'forbidden', message: expect.stringContaining('no-such-namespace') },
    });
  });
});
