import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNamedWatches, type KubeClient, type NamedWatches } from '../../../operator/src/runtime/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { startFaultProxy } from '../../kit/fault-proxy.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { connectClient, QUICK, recordLog, running, SECRETS, type Secret } from './support.ts';

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

const secret = (namespace: string, name: string, value: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name },
  data: { value: Buffer.from(value).toString('base64') },
});

const keysOf = (namespace: string, ...names: readonly string[]): Set<string> =>
  new Set(names.map((name) => `${namespace}/${name}`));

/** A token that may get and watch Secrets of a namespace, and not list them. */
async function readerToken(namespace: string): Promise<string> {
  const token = await cluster.serviceAccountToken(namespace, 'reader');
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'reader' } };
  const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'watch'] }];
  await cluster.request('POST', `${path}/roles`, { body: { ...role, kind: 'Role', rules } });
  await cluster.request('POST', `${path}/rolebindings`, {
    body: {
      ...role,
      kind: 'RoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace }],
    },
  });
  // The authorizer learns of a binding through its watch.
  const any = `/api/v1/namespaces/${namespace}/secrets/any`;
  await waitFor(async () => (await cluster.request('GET', any, { token })).status === 404, { what: 'the rights' });
  return token;
}

async function watches(
  client: KubeClient,
  options: { readonly maxNames?: number } = {},
): Promise<AsyncDisposable & { readonly named: NamedWatches<Secret>; readonly values: () => Record<string, string> }> {
  const named = createNamedWatches({ client, kind: SECRETS, log: recordLog(), timing: QUICK, ...options });
  const run = running((stop) => named.run(stop));
  return {
    named,
    values: () =>
      Object.fromEntries(
        [...named.store.objects.values()].map(({ metadata, data }) => [
          metadata.name,
          Buffer.from(data?.['value'] ?? '', 'base64').toString(),
        ]),
      ),
    [Symbol.asyncDispose]: () => run[Symbol.asyncDispose](),
  };
}

describe('named watches', () => {
  test('see what exists, what appears, changes and goes, without the right to list', async () => {
    const namespace = await cluster.createNamespace();
    await using client = await connectClient(cluster, { token: await readerToken(namespace) });
    await using world = await watches(client);
    const { named, values } = world;
    await admin.create(SECRETS, secret(namespace, 'here', '1'), { signal });
    await admin.create(SECRETS, secret(namespace, 'private', 'x'), { signal });
    named.want({ id: 'a' }, keysOf(namespace, 'here', 'missing'));
    expect(named.isKnown(`${namespace}/missing`)).toBe(false);
    await named.settled(signal);
    expect(named.isKnown(`${namespace}/missing`)).toBe(true);
    expect(values()).toEqual({ here: '1' });
    await admin.create(SECRETS, secret(namespace, 'missing', '2'), { signal });
    await admin.mergePatch(SECRETS, { namespace, name: 'here' }, secret(namespace, 'here', '3'), { signal });
    await waitFor(() => values()['missing'] === '2' && values()['here'] === '3');
    await admin.delete(SECRETS, { namespace, name: 'here' }, { signal });
    await waitFor(() => !('here' in values()));
    expect(values()).toEqual({ missing: '2' });
  });

  test('share a name among all who want it, and forget it with the last', async () => {
    const namespace = await cluster.createNamespace();
    await using world = await watches(admin);
    const { named, values } = world;
    await admin.create(SECRETS, secret(namespace, 's', '1'), { signal });
    named.want({ id: 'a' }, keysOf(namespace, 's'));
    named.want({ id: 'b' }, keysOf(namespace, 's', 't'));
    await named.settled(signal);
    expect(named.size).toBe(2);
    named.want({ id: 'b' }, new Set());
    expect(named.size).toBe(1);
    expect(values()).toEqual({ s: '1' });
    named.want({ id: 'a' }, new Set());
    expect(named.size).toBe(0);
    expect(values()).toEqual({});
  });

  test('watch no more names than allowed, none at the expense of another namespace, and the next one when there is room', async () => {
    const namespace = await cluster.createNamespace();
    const mine = ['a', 'b', 'c', 'd', 'e'];
    for (const name of [...mine, 'modest', 'first']) {
      await admin.create(SECRETS, secret(namespace, name, name), { signal });
    }
    await using world = await watches(admin, { maxNames: 4 });
    const { named, values } = world;
    const notified: string[] = [];
    using _subscription = named.subscribe((key) => notified.push(key));
    const follows = async (...names: readonly string[]): Promise<void> => {
      await named.settled(signal);
      expect(Object.keys(values()).toSorted()).toEqual(names);
    };
    named.want({ id: 'x', share: 'greedy' }, keysOf(namespace, ...mine));
    await follows('a', 'b', 'c', 'd');
    expect([...named.beyond]).toEqual([`${namespace}/e`]);
    expect(named.isKnown(`${namespace}/e`), 'unread is not absent').toBe(false);
    named.want({ id: 'y', share: 'other' }, keysOf(namespace, 'modest'));
    await follows('a', 'b', 'c', 'modest');
    named.want({ id: 'z' }, keysOf(namespace, 'first'));
    await follows('a', 'b', 'first', 'modest');
    expect(named.isKnown(`${namespace}/c`)).toBe(false);
    notified.splice(0);
    named.want({ id: 'z' }, new Set());
    await follows('a', 'b', 'c', 'modest');
    expect(notified).toContain(`${namespace}/c`);
    expect(named.isKnown(`${namespace}/c`)).toBe(true);
  });

  test('notice after a cut what happened meanwhile', async () => {
    const namespace = await cluster.createNamespace();
    for (const name of ['edited', 'deleted']) await admin.create(SECRETS, secret(namespace, name, '1'), { signal });
    await using proxy = await startFaultProxy(cluster);
    await using client = await connectClient(cluster, { url: proxy.url });
    await using world = await watches(client);
    const { named, values } = world;
    named.want({ id: 'a' }, keysOf(namespace, 'edited', 'deleted', 'created'));
    await named.settled(signal);
    proxy.inject(({ isWatch }) => isWatch, { kind: 'answer', status: 410 }, 3);
    proxy.cutAll();
    await admin.mergePatch(SECRETS, { namespace, name: 'edited' }, secret(namespace, 'edited', '2'), { signal });
    await admin.delete(SECRETS, { namespace, name: 'deleted' }, { signal });
    await admin.create(SECRETS, secret(namespace, 'created', '3'), { signal });
    await waitFor(() => values()['edited'] === '2' && values()['created'] === '3' && !('deleted' in values()));
    expect(values()).toEqual({ edited: '2', created: '3' });
  });

  test('say which name may not be read, and read it once it may', async () => {
    const namespace = await cluster.createNamespace();
    await admin.create(SECRETS, secret(namespace, 's', '1'), { signal });
    const token = await cluster.serviceAccountToken(namespace, 'reader');
    await using client = await connectClient(cluster, { token });
    await using world = await watches(client);
    const { named, values } = world;
    named.want({ id: 'a' }, keysOf(namespace, 's', 't'));
    await named.settled(signal);
    for (const name of ['s', 't']) {
      expect([named.isDenied(`${namespace}/${name}`), named.isKnown(`${namespace}/${name}`)]).toEqual([true, false]);
    }
    await readerToken(namespace);
    await waitFor(() => values()['s'] === '1' && named.isKnown(`${namespace}/t`));
    expect(named.isDenied(`${namespace}/t`)).toBe(false);
  });

  test('of three hundred names are cheap', async () => {
    const namespace = await cluster.createNamespace();
    const names = Array.from({ length: 300 }, (_, i) => `s${i}`);
    await Promise.all(names.map((name) => admin.create(SECRETS, secret(namespace, name, name), { signal })));
    await using world = await watches(admin);
    world.named.want({ id: 'a' }, keysOf(namespace, ...names));
    await world.named.settled(signal);
    expect(world.named.store.size).toBe(300);
    await admin.mergePatch(SECRETS, { namespace, name: 's7' }, secret(namespace, 's7', 'new'), { signal });
    await waitFor(() => world.values()['s7'] === 'new');
  });
});
