import { API_VERSION } from '@gatehouse/crds/kinds';
import { describe, expect, test } from 'vitest';
import { createStore, type KubeObject, type ObjectKey } from '../runtime/index.ts';
import { servedNamespaces, wantSecrets } from './index.ts';

interface Thing extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: object;
}

interface Granting extends KubeObject {
  readonly spec: { readonly from: []; readonly to: [] };
}

const ORGANISATION = 'gatehouse-system';

function stage({ namespaces = 'all' }: { namespaces?: 'all' | ReadonlySet<string> } = {}) {
  const accounts = createStore<Thing>();
  const grants = createStore<Granting>();
  const workspaces = createStore<Thing>();
  const labels = createStore<KubeObject>();
  const wanted = new Map<string, ReadonlySet<ObjectKey>>();
  const charged = new Set<string | undefined>();
  const rechecked: ObjectKey[] = [];
  let version = 0;
  wantSecrets({
    kinds: new Map([['VirtualKey', accounts]]),
    grants,
    watches: {
      want: ({ id, share }, keys) => {
        wanted.set(id, keys);
        charged.add(share);
      },
      recheck: (key) => rechecked.push(key),
    },
    namespaces,
    served: servedNamespaces({ organisationNamespace: ORGANISATION, workspaces, namespaces: labels }),
  });
  const claim = (namespace: string): void => {
    version += 1;
    const metadata = { name: 'team-a', resourceVersion: String(version) };
    workspaces.put({ apiVersion: API_VERSION, kind: 'Workspace', metadata, spec: { namespace } }, { initial: false });
  };
  const label = (namespace: string, workspace: string): void => {
    version += 1;
    const metadata = {
      name: namespace,
      labels: { 'gatehouse.dev/workspace': workspace },
      resourceVersion: String(version),
    };
    labels.put({ apiVersion: 'v1', kind: 'Namespace', metadata }, { initial: false });
  };
  const put = (secretRef: object, namespace = 'team'): void => {
    version += 1;
    const metadata = { name: 'x', namespace, generation: version, resourceVersion: String(version) };
    accounts.put({ apiVersion: API_VERSION, kind: 'VirtualKey', metadata, spec: { secretRef } }, { initial: false });
  };
  /** Writes the status of the account, as the leader does. */
  const judge = (status: string, { generation = version } = {}): void => {
    const { metadata, ...account } = accounts.get('team/x') ?? {};
    const condition = {
      type: 'ResolvedRefs',
      status,
      reason: 'X',
      lastTransitionTime: 'x',
      observedGeneration: generation,
    };
    accounts.put(
      {
        ...account,
        metadata: { ...metadata, resourceVersion: `${status}/${generation}` },
        status: { conditions: [condition] },
      } as never, // the account is there
      { initial: false },
    );
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
  const keys = (namespace = 'team'): ObjectKey[] => [...(wanted.get(`VirtualKey/${namespace}/x`) ?? [])];
  return { claim, label, put, grant, grants, accounts, workspaces, charged, keys, judge, rechecked };
}

/** A stage where `team` is a workspace's. */
function furnished(options: Parameters<typeof stage>[0] = {}) {
  const given = stage(options);
  given.claim('team');
  given.label('team', 'team-a');
  return given;
}

describe('a Secret is wanted', () => {
  test('while an object of its namespace names it', () => {
    const { put, keys, accounts, charged } = furnished();
    put({ name: 'a' });
    expect(keys()).toEqual(['team/a']);
    put({ name: 'b' });
    expect(keys()).toEqual(['team/b']);
    accounts.remove('team/x');
    expect(keys()).toEqual([]);
    expect([...charged]).toEqual(['team']);
  });

  test('while the namespace and a Workspace name each other, whichever came first', () => {
    const { claim, label, put, keys, workspaces } = stage();
    put({ name: 'a' });
    expect(keys()).toEqual([]);
    label('team', 'team-a');
    expect(keys()).toEqual([]);
    claim('elsewhere');
    expect(keys()).toEqual([]);
    claim('team');
    expect(keys()).toEqual(['team/a']);
    label('team', 'team-b');
    expect(keys()).toEqual([]);
    label('team', 'team-a');
    expect(keys()).toEqual(['team/a']);
    workspaces.remove('team-a');
    expect(keys()).toEqual([]);
  });

  test('always for objects of the organisation', () => {
    const { put, keys } = stage();
    put({ name: 'a' }, ORGANISATION);
    expect(keys(ORGANISATION)).toEqual([`${ORGANISATION}/a`]);
  });

  test('from another namespace only while a ReferenceGrant there permits it', () => {
    const { put, grant, grants, keys, charged } = furnished();
    put({ name: 'a', namespace: 'other' });
    expect(keys()).toEqual([]);
    grant('elsewhere');
    expect(keys()).toEqual([]);
    grant('other');
    expect(keys()).toEqual(['other/a']);
    grants.remove('other/g');
    expect(keys()).toEqual([]);
    expect([...charged], 'who names it pays, not who has it').toEqual(['team']);
  });

  test('never outside the namespaces of the installation', () => {
    const { put, grant, keys } = furnished({ namespaces: new Set(['team']) });
    grant('other');
    put({ name: 'a', namespace: 'other' });
    expect(keys()).toEqual([]);
  });
});

test('Secrets of an object are checked again when the leader has resolved them as they are named now', () => {
  const { put, judge, rechecked } = furnished();
  put({ name: 'a', namespace: 'other' });
  const old = 1;
  judge('True', { generation: old });
  judge('False');
  expect(rechecked).toEqual([]);
  judge('True');
  expect(rechecked).toEqual(['other/a']);
});
