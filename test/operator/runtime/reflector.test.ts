import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cache, type Change, createCache, type KubeClient } from '../../../operator/src/runtime/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { type FaultProxy, type ProxiedRequest, startFaultProxy } from '../../kit/fault-proxy.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { CONFIG_MAPS, type ConfigMap, configMap, connectClient, QUICK, recordLog, running } from './support.ts';

let cluster: ControlPlaneAccess;
let admin: KubeClient;
beforeAll(async () => {
  cluster = sharedControlPlane();
  admin = await connectClient(cluster);
});
afterAll(async () => {
  await admin[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const isWatch = ({ isWatch }: ProxiedRequest): boolean => isWatch;
const isList = ({ isWatch, target }: ProxiedRequest): boolean => !isWatch && target.includes('/configmaps');

interface Fixture extends AsyncDisposable {
  readonly namespace: string;
  readonly proxy: FaultProxy;
  readonly cache: Cache;
  readonly changes: readonly Change<ConfigMap>[];
  readonly names: () => string[];
  create(name: string, data?: Record<string, string>): Promise<ConfigMap>;
  edit(name: string, data: Record<string, string>): Promise<unknown>;
  remove(name: string): Promise<void>;
  /** Runs the cache until the fixture ends, and waits for its first state. */
  start(): Promise<void>;
}

/** A namespace of its own, watched through a proxy that can misbehave. */
async function fixture({ watchSeconds = QUICK.watchSeconds, pageSize = 500 } = {}): Promise<Fixture> {
  await using stack = new AsyncDisposableStack();
  const namespace = await cluster.createNamespace();
  const proxy = stack.use(await startFaultProxy(cluster));
  const client = stack.use(await connectClient(cluster, { url: proxy.url }));
  const log = recordLog();
  const cache = createCache({ client, namespaces: [namespace], log, timing: { ...QUICK, watchSeconds } });
  const fieldSelector = 'metadata.name!=kube-root-ca.crt';
  const store = cache.watch(CONFIG_MAPS, { fieldSelector, pageSize });
  const changes: Change<ConfigMap>[] = [];
  store.subscribe((change) => changes.push(change));
  const signal = AbortSignal.timeout(600_000);
  const owned = stack.move();
  return {
    namespace,
    proxy,
    cache,
    changes,
    names: () => [...store.objects.values()].map(({ metadata }) => metadata.name).toSorted(),
    create: (name, data) => admin.create(CONFIG_MAPS, configMap(namespace, name, data), { signal }),
    edit: (name, data) => admin.mergePatch(CONFIG_MAPS, { namespace, name }, { data }, { signal }),
    remove: (name) => admin.delete(CONFIG_MAPS, { namespace, name }, { signal }),
    start: async () => {
      owned.use(running((stop) => cache.run(stop)));
      expect(await cache.synced({ signal, timeoutMs: 60_000 })).toMatchObject({ ok: true });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const summary = ({ key, object, previous }: Change<ConfigMap>): string => {
  const [, name] = key.split('/');
  if (object === undefined) return `- ${name}`;
  return `${previous === undefined ? '+' : '~'} ${name}`;
};

describe('a reflector', () => {
  test('lists page by page, then follows every change', async () => {
    await using world = await fixture({ pageSize: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await world.create(name);
    await world.start();
    expect(world.names()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(world.changes.every(({ initial }) => initial)).toBe(true);
    expect(world.proxy.requests.filter(isList)).toHaveLength(3);
    await world.create('f');
    await world.edit('a', { x: '1' });
    await world.remove('b');
    await waitFor(() => world.changes.length >= 8);
    expect(world.changes.slice(5).map(summary)).toEqual(['+ f', '~ a', '- b']);
    expect(world.changes.slice(5).some(({ initial }) => initial)).toBe(false);
  });

  test('keeps frozen objects with their type and without managed fields', async () => {
    await using world = await fixture();
    await world.create('listed', { x: '1' });
    await world.start();
    await world.create('watched', { x: '2' });
    await waitFor(() => world.changes.length === 2);
    for (const { object } of world.changes) {
      expect(object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
      expect(object?.metadata).not.toHaveProperty('managedFields');
      expect(Object.isFrozen(object) && Object.isFrozen(object?.data) && Object.isFrozen(object?.metadata)).toBe(true);
    }
  });

  test('goes on where it was when its watch is cut', async () => {
    await using world = await fixture();
    await world.create('a');
    await world.start();
    world.proxy.cutAll();
    await world.create('b');
    await waitFor(() => world.names().includes('b'));
    expect(world.proxy.requests.filter(isList)).toHaveLength(1);
    expect(world.changes.map(summary)).toEqual(['+ a', '+ b']);
  });

  test.for([
    { rule: 'the watch is refused with 410', fault: { kind: 'answer', status: 410 } as const },
    {
      rule: 'the watch says 410 in its stream',
      fault: {
        kind: 'answer',
        status: 200,
        body: `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })}\n`,
      } as const,
    },
    { rule: 'a line is not JSON', fault: { kind: 'answer', status: 200, body: '{"type":"ADD\n' } as const },
    { rule: 'a line is no event', fault: { kind: 'answer', status: 200, body: '{"type":"ADDED"}\n' } as const },
  ])('lists again and tells the differences when $rule', async ({ fault }) => {
    await using world = await fixture();
    await world.create('kept');
    await world.create('edited');
    await world.create('deleted');
    await world.start();
    world.proxy.inject(isWatch, fault);
    world.proxy.inject(isList, { kind: 'delay', ms: 300 });
    const before = world.changes.length;
    world.proxy.cutAll();
    await world.edit('edited', { x: '1' });
    await world.remove('deleted');
    await world.create('created');
    await waitFor(() => world.names().includes('created') && !world.names().includes('deleted'));
    await waitFor(() => world.changes.length === before + 3);
    expect(world.changes.slice(before).map(summary).toSorted()).toEqual(['+ created', '- deleted', '~ edited']);
    expect(world.proxy.requests.filter(isList)).toHaveLength(2);
  });

  test.for([
    { rule: '500', fault: { kind: 'answer', status: 500 } as const },
    { rule: '429 with Retry-After', fault: { kind: 'answer', status: 429, headers: { 'retry-after': '1' } } as const },
    { rule: 'an answer cut short', fault: { kind: 'cut', afterBytes: 10 } as const },
  ])('is synced in the end when its lists meet $rule', async ({ fault }) => {
    await using world = await fixture();
    await world.create('a');
    world.proxy.inject(isList, fault, 2);
    await world.start();
    expect(world.names()).toEqual(['a']);
  });

  test('starts the list over without pages when its continue token has expired', async () => {
    await using world = await fixture({ pageSize: 2 });
    for (const name of ['a', 'b', 'c']) await world.create(name);
    world.proxy.inject(({ target }) => target.includes('continue='), { kind: 'answer', status: 410 });
    await world.start();
    expect(world.names()).toEqual(['a', 'b', 'c']);
    expect(world.proxy.requests.filter(isList).at(-1)?.target).not.toContain('limit=');
  });

  test('reads a stream whose bytes come one by one', async () => {
    await using world = await fixture();
    world.proxy.inject(isWatch, { kind: 'split', bytes: 1 });
    await world.start();
    await world.create('a', { text: 'äöü€😀' });
    await waitFor(() => world.changes.length === 1);
    expect(world.changes[0]?.object?.data).toEqual({ text: 'äöü€😀' });
  });

  test('lists again when the watch is silent for twice its time', async () => {
    await using world = await fixture({ watchSeconds: { min: 1, max: 1 } });
    world.proxy.inject(isWatch, { kind: 'stall', afterBytes: 0 });
    await world.start();
    await world.create('a');
    await waitFor(() => world.names().includes('a'));
    expect(world.proxy.requests.filter(isList).length).toBeGreaterThan(1);
  });

  test('opens a new watch from the last bookmark whenever the server ends one', async () => {
    // A server that is late by as much again would count as silent.
    await using world = await fixture({ watchSeconds: { min: 2, max: 2 } });
    await world.start();
    await waitFor(() => world.proxy.requests.filter(isWatch).length > 2);
    await world.create('a');
    await waitFor(() => world.names().includes('a'));
    expect(world.proxy.requests.filter(isList)).toHaveLength(1);
  });
});
