import { API_VERSION } from '@gatehouse/crds/kinds';
import { expect, test } from 'vitest';
import { createStore, type KubeObject, type ObjectKey } from '../runtime/index.ts';
import { wantServiceAccounts } from './index.ts';

interface Thing extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}

function stage(namespaces: 'all' | ReadonlySet<string> = 'all') {
  const workspaces = createStore<Thing>();
  const wanted = new Map<string, readonly ObjectKey[]>();
  const shares = new Set<string | undefined>();
  const want = ({ id, share }: { id: string; share?: string | undefined }, keys: ReadonlySet<ObjectKey>): void => {
    wanted.set(id, [...keys]);
    shares.add(share);
  };
  let version = 0;
  const put = (...workloadIdentities: unknown[]): void => {
    version += 1;
    const metadata = { name: 'team-a', generation: version, resourceVersion: String(version) };
    const spec = { namespace: 'team', workloadIdentities };
    workspaces.put({ apiVersion: API_VERSION, kind: 'Workspace', metadata, spec }, { initial: false });
  };
  put({ namespace: 'apps', serviceAccount: 'first' });
  wantServiceAccounts({ workspaces, watches: { want }, namespaces });
  return { workspaces, put, shares, keys: () => wanted.get('Workspace/team-a') };
}

test('ServiceAccounts are wanted while a Workspace names them, in any namespace', () => {
  const { workspaces, put, keys, shares } = stage();
  expect(keys()).toEqual(['apps/first']);
  put({ namespace: 'apps', serviceAccount: 'web' }, { namespace: 'jobs', serviceAccount: 'web' });
  expect(keys()).toEqual(['apps/web', 'jobs/web']);
  workspaces.remove('team-a');
  expect(keys()).toEqual([]);
  expect([...shares], 'always the same').toEqual(['team-a']);
});

test('what is no name is not wanted', () => {
  const { put, keys } = stage();
  put(
    'web',
    null,
    { namespace: 'apps' },
    { namespace: 7, serviceAccount: 'web' },
    { namespace: '', serviceAccount: '' },
  );
  expect(keys()).toEqual([]);
});

test('Workspaces of other operators want nothing', () => {
  expect(stage(new Set(['elsewhere'])).keys()).toEqual([]);
  expect(stage(new Set(['team'])).keys()).toEqual(['apps/first']);
});
