import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { API_VERSION } from '@gatehouse/crds/kinds';
import { describe, expect, test } from 'vitest';
import { createStore, type KubeObject } from '../runtime/index.ts';
import {
  type CustomObject,
  createLiveWorld,
  type ReferenceGrantObject,
  type SecretObject,
  type WorldStores,
} from './index.ts';

function stage(namespaces: 'all' | ReadonlySet<string> = 'all', serviceAccounts?: WorldStores['accounts']) {
  const accounts = createStore<CustomObject>();
  const workspaces = createStore<CustomObject>();
  const secrets = createStore<SecretObject>();
  const known = new Set<string>();
  const beyond = new Set<string>();
  const denied = new Set<string>();
  const listeners: ((key: string) => void)[] = [];
  const labels = createStore<KubeObject>();
  const grants = createStore<ReferenceGrantObject>();
  let changes = 0;
  const world = createLiveWorld({
    stores: {
      kinds: new Map([
        ['VirtualKey', accounts],
        ['Workspace', workspaces],
      ]),
      secrets: {
        store: secrets,
        isKnown: (key) => known.has(key),
        isDenied: (key) => denied.has(key),
        beyond,
        subscribe: (listener) => {
          listeners.push(listener);
          return { [Symbol.dispose]: () => {} };
        },
      },
      namespaces: labels,
      grants,
      accounts: serviceAccounts,
    },
    settings: { organisationNamespace: 'org', consent: 'label', mintsKeys: true, caps: DEFAULT_TARGET_CAPS },
    namespaces,
    onChange: () => {
      changes += 1;
    },
  });
  const tell = (key: string): void => {
    for (const listener of listeners) listener(key);
  };
  const reading = () => world.take().serviceAccounts?.get('apps/web');
  const own = { accounts, workspaces, secrets, labels, grants };
  return { ...own, known, beyond, denied, tell, reading, world, changes: () => changes };
}

let versions = 0;
const put = <T extends KubeObject>(store: { put(object: T, how: { initial: boolean }): void }, object: T): void => {
  versions += 1;
  store.put({ ...object, metadata: { ...object.metadata, resourceVersion: String(versions) } }, { initial: false });
};
const account = (generation: number, further: object = {}): CustomObject => ({
  apiVersion: API_VERSION,
  kind: 'VirtualKey',
  metadata: { name: 'x', namespace: 'team', uid: 'u', generation },
  spec: {},
  ...further,
});
const secret = (text: string): SecretObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'team' },
  data: { key: Buffer.from(text).toString('base64') },
});

describe('a live world', () => {
  test('returns the same object until its content changes', () => {
    const { accounts, world, changes } = stage();
    put(accounts, account(1));
    const before = world.take().resources.get('VirtualKey')?.get('team/x');
    put(accounts, account(1, { status: { conditions: [] } }));
    expect(world.take().resources.get('VirtualKey')?.get('team/x')).toBe(before);
    put(accounts, account(2));
    const after = world.take().resources.get('VirtualKey')?.get('team/x');
    expect(after?.metadata.generation).toBe(2);
    accounts.remove('team/x');
    expect(world.take().resources.get('VirtualKey')?.get('team/x')).toBeUndefined();
    expect(changes(), 'a status is no change').toBe(3);
  });

  test('decodes Secrets, keeps equal ones, and forgets those that are no longer read', () => {
    const { secrets, tell, world } = stage();
    put(secrets, secret('one'));
    const before = world.take().secrets.get('team/s');
    expect(before?.get('key')).toBe('one');
    expect(before?.get('constructor')).toBeUndefined();
    put(secrets, secret('one'));
    expect(world.take().secrets.get('team/s')).toBe(before);
    put(secrets, secret('two'));
    expect(world.take().secrets.get('team/s')?.get('key')).toBe('two');
    secrets.evict('team/s');
    tell('team/s');
    expect(world.take().secrets.get('team/s')).toBeUndefined();
  });

  test('says how far reading a Secret has come, and which object owns it', () => {
    const { secrets, known, beyond, denied, tell, world, changes } = stage();
    const reading = () => world.take().secretReadings?.get('team/s');
    expect(reading()).toBeUndefined();
    beyond.add('team/s');
    tell('team/s');
    expect(reading()).toBe('beyond');
    beyond.clear();
    known.add('team/s');
    tell('team/s');
    expect(reading()).toBe('known');
    denied.add('team/s');
    known.clear();
    tell('team/s');
    expect(reading()).toBe('denied');
    expect(changes()).toBe(3);
    tell('team/s');
    expect(changes(), 'nothing new is no change').toBe(3);
    const owner = { apiVersion: API_VERSION, kind: 'ApiKey', name: 'k', uid: 'u', controller: true };
    put(secrets, secret('one'));
    expect(world.take().secrets.get('team/s')?.owner).toBeUndefined();
    put(secrets, { ...secret('one'), metadata: { ...secret('one').metadata, ownerReferences: [owner] } });
    expect(world.take().secrets.get('team/s')?.owner).toBe('u');
  });

  test('has labels of namespaces, and grants by their namespace', () => {
    const { labels, grants, world } = stage();
    put(labels, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', labels: { a: 'b' } } });
    const spec = { from: [], to: [] };
    put(grants, {
      apiVersion: 'gateway.networking.k8s.io/v1beta1',
      kind: 'ReferenceGrant',
      metadata: { name: 'g', namespace: 'team' },
      spec,
    });
    const { namespaces, referenceGrants } = world.take();
    expect(namespaces.get('team')?.get('a')).toBe('b');
    expect(referenceGrants?.get('team')).toEqual([spec]);
    expect(referenceGrants?.get('other')).toBeUndefined();
  });

  test('for named namespaces leaves out Workspaces that have others', () => {
    const { workspaces, world } = stage(new Set(['team']));
    for (const namespace of ['team', 'elsewhere']) {
      put(workspaces, {
        apiVersion: API_VERSION,
        kind: 'Workspace',
        metadata: { name: namespace, generation: 1 },
        spec: { namespace },
      });
    }
    const known = world.take().resources.get('Workspace');
    expect([known?.get('team')?.metadata.name, known?.get('elsewhere')]).toEqual(['team', undefined]);
  });

  test('says which ServiceAccount there is, and that one is gone as soon as it is being deleted', () => {
    const store = createStore<KubeObject>();
    const known = new Set<string>();
    const listeners: ((key: string) => void)[] = [];
    const accounts = {
      store,
      isKnown: (key: string) => known.has(key),
      isDenied: () => false,
      beyond: new Set<string>(),
      subscribe: (listener: (key: string) => void) => {
        listeners.push(listener);
        return { [Symbol.dispose]: () => {} };
      },
    };
    const { reading } = stage('all', accounts);
    const serviceAccount = (metadata: object): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'web', namespace: 'apps', ...metadata },
    });
    expect(reading()).toBeUndefined();
    put(store, serviceAccount({ uid: 'u-1' }));
    const first = reading();
    expect(first).toEqual({ kind: 'exists', uid: 'u-1' });
    put(store, serviceAccount({ uid: 'u-1', labels: { a: 'b' } }));
    expect(reading()).toBe(first);
    known.add('apps/web');
    put(store, serviceAccount({ uid: 'u-1', deletionTimestamp: '2026-01-01T00:00:00Z' }));
    expect(reading()).toEqual({ kind: 'absent' });
    put(store, serviceAccount({ uid: 'u-2' }));
    expect(reading()).toEqual({ kind: 'exists', uid: 'u-2' });
    store.remove('apps/web');
    expect(reading()).toEqual({ kind: 'absent' });
    known.clear();
    for (const listener of listeners) listener('apps/web');
    expect(reading(), 'it is no longer watched').toBeUndefined();
  });
});
