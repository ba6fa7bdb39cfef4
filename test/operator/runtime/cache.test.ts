import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cacheCheck, createCache, type KindRef, type KubeClient, keyOf } from '../../../operator/src/runtime/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { CONFIG_MAPS, configMap, connectClient, installWidgets, QUICK, recordLog, running, widget } from './support.ts';

let cluster: ControlPlaneAccess;
let admin: KubeClient;
const signal = AbortSignal.timeout(600_000);
beforeAll(async () => {
  cluster = sharedControlPlane();
  admin = await connectClient(cluster);
});
afterAll(async () => {
  await admin[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const OWN = 'metadata.name!=kube-root-ca.crt';
const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces';

/** A token that may read ConfigMaps in these namespaces and nowhere else. */
async function readerToken(namespaces: readonly string[]): Promise<string> {
  const [home = ''] = namespaces;
  const token = await cluster.serviceAccountToken(home, 'reader');
  for (const namespace of namespaces) {
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
    await cluster.request('POST', `${RBAC}/${namespace}/roles`, { body: { metadata: { name: 'reader' }, rules } });
    await cluster.request('POST', `${RBAC}/${namespace}/rolebindings`, {
      body: {
        metadata: { name: 'reader' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
        subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: home }],
      },
    });
  }
  return token;
}

describe('a cache of named namespaces', () => {
  test('needs rights there only, and holds them in one store', async () => {
    const namespaces = [await cluster.createNamespace(), await cluster.createNamespace()];
    for (const namespace of namespaces) await admin.create(CONFIG_MAPS, configMap(namespace, 'a'), { signal });
    await using client = await connectClient(cluster, { token: await readerToken(namespaces) });
    const cache = createCache({ client, namespaces, log: recordLog(), timing: QUICK });
    const store = cache.watch(CONFIG_MAPS, { fieldSelector: OWN });
    await using _run = running((stop) => cache.run(stop));
    expect(await cache.synced({ signal, timeoutMs: 60_000 })).toMatchObject({ ok: true });
    expect([...store.objects.keys()].toSorted()).toEqual(namespaces.map((ns) => `${ns}/a`).toSorted());
    await admin.delete(CONFIG_MAPS, { namespace: namespaces[0], name: 'a' }, { signal });
    await waitFor(() => store.size === 1);
    expect(cacheCheck(cache)()).toBeUndefined();
  });

  test('says what is missing when it is configured to watch the whole cluster', async () => {
    const namespace = await cluster.createNamespace();
    await using client = await connectClient(cluster, { token: await readerToken([namespace]) });
    const log = recordLog();
    const cache = createCache({ client, namespaces: 'all', log, timing: QUICK });
    cache.watch(CONFIG_MAPS);
    await using _run = running((stop) => cache.run(stop));
    const failure = { status: 403, reason: 'Forbidden' };
    await waitFor(() => cache.health()[0]?.failure, { what: 'the refusal' });
    const synced = await cache.synced({ signal, timeoutMs: 100 });
    expect(synced).toMatchObject({ ok: false, error: [{ resource: 'configmaps', synced: false, failure }] });
    expect(cacheCheck(cache)()).toContain('Forbidden');
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { resource: 'configmaps', ...failure } }]);
  });
});

describe('an optional Kind', () => {
  test('counts as empty until the server knows it, and again when it is removed', async () => {
    const namespace = await cluster.createNamespace();
    const absent: KindRef = { group: 'absent.example.com', version: 'v1', kind: 'X', plural: 'xs', namespaced: true };
    const cache = createCache({ client: admin, namespaces: [namespace], log: recordLog(), timing: QUICK });
    const nothing = cache.watch(absent, { optional: true });
    await using _run = running((stop) => cache.run(stop));
    expect(await cache.synced({ signal, timeoutMs: 60_000 })).toMatchObject({ ok: true });
    expect(nothing.size).toBe(0);

    const kind = await installWidgets(cluster);
    const later = createCache({ client: admin, namespaces: [namespace], log: recordLog(), timing: QUICK });
    const widgets = later.watch(kind, { optional: true });
    await using _later = running((stop) => later.run(stop));
    await admin.create(kind, widget(kind, namespace, 'w'), { signal });
    await waitFor(() => widgets.size === 1);
    await cluster.request('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${kind.group}`);
    await waitFor(() => widgets.size === 0);
  });
});

describe('an index', () => {
  test('follows the objects', async () => {
    const namespace = await cluster.createNamespace();
    const cache = createCache({ client: admin, namespaces: [namespace], log: recordLog(), timing: QUICK });
    const indexes = {
      ref: ({ data }: { data?: Readonly<Record<string, string>> | undefined }) => Object.values(data ?? {}),
    };
    const store = cache.watch(CONFIG_MAPS, { fieldSelector: OWN, indexes });
    await using _run = running((stop) => cache.run(stop));
    await admin.create(CONFIG_MAPS, configMap(namespace, 'a', { x: 'one' }), { signal });
    await admin.create(CONFIG_MAPS, configMap(namespace, 'b', { x: 'one', y: 'two' }), { signal });
    await waitFor(() => store.indexed('ref', 'one').size === 2);
    await admin.mergePatch(CONFIG_MAPS, { namespace, name: 'b' }, { data: { x: 'three' } }, { signal });
    await waitFor(() => store.indexed('ref', 'one').size === 1);
    expect([...store.indexed('ref', 'two')]).toEqual([keyOf({ namespace, name: 'b' })]);
    await admin.delete(CONFIG_MAPS, { namespace, name: 'b' }, { signal });
    await waitFor(() => store.indexed('ref', 'two').size === 0);
  });
});
