import { API_VERSION } from '@gatehouse/crds/kinds';
import { describe, expect, test } from 'vitest';
import { createStore, type KubeObject, type ObjectKey } from '../runtime/index.ts';
import { wantSecrets } from './index.ts';

interface Thing extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}

interface Granting extends KubeObject {
  readonly spec: { readonly from: []; readonly to: [] };
}

function stage({ namespaces = 'all' }: { namespaces?: 'all' | ReadonlySet<string> } = {}) {
  const accounts = createStore<Thing>();
  const grants = createStore<Granting>();
  const wanted = new Map<string, ReadonlySet<ObjectKey>>();
  const unwanted: ObjectKey[] = [];
  let version = 0;
  wantSecrets({
    kinds: new Map([['VirtualKey', accounts]]),
    grants,
    watches: { want: (owner, keys) => void wanted.set(owner, keys) },
    namespaces,
    onUnwanted: (key) => void unwanted.push(key),
  });
  const put = (secretRef: object): void => {
    version += 1;
    const metadata = { name: 'x', namespace: 'team', generation: version, resourceVersion: String(version) };
    accounts.put({ apiVersion: API_VERSION, kind: 'VirtualKey', metadata, spec: { secretRef } }, { initial: false });
  };
  const grant = (namespace: string): void => {
    version += 1;
    const spec = {
      from: [{ group: 'gatehouse.dev', kind: 'VirtualKey', namespace: 'team' }],
      to: [{ group: '', kind: 'Secret' }],
    };
    const metadata = { name: 'g', namespace, resourceVersion: String(version) };
    // Only the members that matter here have a type.
    grants.put({ apiVersion: 'gateway.networking.k8s.io/v1beta1', kind: 'ReferenceGrant', metadata, spec } as never, {
      initial: false,
    });
  };
  return { put, grant, grants, accounts, unwanted, keys: () => [...(wanted.get('VirtualKey/team/x') ?? [])] };
}

describe('a Secret is wanted', () => {
  test('while an object of its namespace names it', () => {
    const { put, keys, accounts, unwanted } = stage();
    put({ name: 'a' });
    expect(keys()).toEqual(['team/a']);
    put({ name: 'b' });
    expect(keys()).toEqual(['team/b']);
    expect(unwanted).toEqual(['team/a']);
    accounts.remove('team/x');
    expect(keys()).toEqual([]);
  });

  test('from another namespace only while a grant there says so', () => {
    const { put, grant, grants, keys, unwanted } = stage();
    put({ name: 'a', namespace: 'other' });
    expect(keys()).toEqual([]);
    grant('elsewhere');
    expect(keys()).toEqual([]);
    grant('other');
    expect(keys()).toEqual(['other/a']);
    grants.remove('other/g');
    expect(keys()).toEqual([]);
    expect(unwanted).toEqual(['other/a']);
  });

  test('never outside the namespaces of the installation', () => {
    const { put, grant, keys } = stage({ namespaces: new Set(['team']) });
    grant('other');
    put({ name: 'a', namespace: 'other' });
    expect(keys()).toEqual([]);
  });
});
