import { describe, expect, test } from 'vitest';
import { createSidecarReaders } from './sidecar-view.ts';
import { type TestObject, worldOf } from './test-world.ts';
import { type Translation, translate } from './translate.ts';

const object = (kind: string, place: string, spec: object, metadata: object = {}): TestObject => {
  const [namespace, name = ''] = place.includes('/') ? place.split('/') : [undefined, place];
  return {
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), generation: 1, ...metadata },
    spec,
  };
};
const LOCAL = { provider: 'ollama', customHost: 'http://ollama:11434' };
const BASE: readonly TestObject[] = [
  object('Workspace', 'team-a', { namespace: 'a' }),
  object('Workspace', 'team-b', { namespace: 'b' }),
  object('Workspace', 'late', { namespace: 'a' }, { creationTimestamp: '2030-01-01T00:00:00Z' }),
  object('SidecarProfile', 'a/default', {}),
  object('VirtualKey', 'a/own', LOCAL),
  object('VirtualKey', 'b/own', LOCAL),
];

function start() {
  let latest: { world: ReturnType<typeof worldOf>; translation: Translation } | undefined;
  const readers = createSidecarReaders(() => latest);
  const turn = (objects: readonly TestObject[]): void => {
    const world = worldOf(objects);
    latest = { world, translation: translate(world, latest?.translation) };
  };
  return { ...readers, turn };
}

describe('readers', () => {
  test('know nothing before the first translation', () => {
    const { workspaceOf, snapshotOf, profilesIn } = start();
    expect([workspaceOf('a'), snapshotOf('team-a')]).toEqual([undefined, undefined]);
    expect(profilesIn('a')).toEqual([]);
  });

  test('know whose a namespace is, and its profiles', () => {
    const readers = start();
    readers.turn(BASE);
    expect(['a', 'b', 'c'].map(readers.workspaceOf)).toEqual(['team-a', 'team-b', undefined]);
    expect(readers.profilesIn('a').map(({ metadata }) => metadata.name)).toEqual(['default']);
  });

  test('tell sidecars only where there is a profile', () => {
    const readers = start();
    readers.turn(BASE);
    expect(readers.snapshotOf('team-a')?.entries.map(({ id }) => id)).toContain('sidecar/team-a/default');
    expect(readers.snapshotOf('team-b')).toBeUndefined();
    readers.turn(BASE.filter(({ kind }) => kind !== 'SidecarProfile'));
    expect(readers.snapshotOf('team-a')).toBeUndefined();
  });

  test('give the same Snapshot until something in it changes', () => {
    const readers = start();
    readers.turn(BASE);
    const first = readers.snapshotOf('team-a');
    readers.turn([...BASE, object('VirtualKey', 'b/more', LOCAL)]);
    expect(readers.snapshotOf('team-a')).toBe(first);
    readers.turn([...BASE, object('VirtualKey', 'a/more', LOCAL)]);
    expect(readers.snapshotOf('team-a')?.version).not.toBe(first?.version);
  });

  test('go by what a profile last said when it has become invalid', () => {
    const readers = start();
    readers.turn(BASE);
    const first = readers.snapshotOf('team-a');
    const broken = object('SidecarProfile', 'a/default', { port: 'none' });
    readers.turn([...BASE.filter(({ kind }) => kind !== 'SidecarProfile'), broken]);
    expect(readers.snapshotOf('team-a')?.version).toBe(first?.version);
  });
});
