import { describe, expect, test } from 'vitest';
import { type TestObject, worldOf } from '../test-world.ts';
import { type Translation, translate } from '../translate.ts';
import { EMPTY_SNAPSHOT } from './sidecar-snapshot.ts';
import { createSidecarView } from './sidecar-view.ts';

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
  const readers = createSidecarView(() => latest);
  const turn = (objects: readonly TestObject[]): void => {
    const world = worldOf(objects);
    latest = { world, translation: translate(world, latest?.translation) };
  };
  return { ...readers, turn };
}

describe('readers', () => {
  test('know nothing before the first translation', () => {
    const { workspaceOf, snapshotFor, profilesIn } = start();
    expect([workspaceOf('a'), snapshotFor('a')]).toEqual([undefined, undefined]);
    expect(profilesIn('a')).toEqual([]);
  });

  test('know the owner of a namespace, and its profiles', () => {
    const readers = start();
    readers.turn(BASE);
    expect(['a', 'b', 'c'].map(readers.workspaceOf)).toEqual(['team-a', 'team-b', undefined]);
    expect(readers.profilesIn('a').map(({ metadata }) => metadata.name)).toEqual(['default']);
  });

  const without = (...kinds: readonly string[]): readonly TestObject[] =>
    BASE.filter(({ kind }) => !kinds.includes(kind));
  const broken = object('SidecarProfile', 'a/default', { port: 'none' });
  const unread = object('Workspace', 'team-a', { namespace: 'a', bogus: 1 });

  test.for([
    { rule: 'of the workspace', objects: BASE, want: 'entries' },
    { rule: 'nothing without a profile', objects: without('SidecarProfile'), want: 'nothing' },
    { rule: 'an empty Snapshot in a namespace without an owner', objects: without('Workspace'), want: 'nothing' },
    {
      rule: 'an empty Snapshot in a namespace without an owner, whatever its profiles say',
      objects: [...without('Workspace', 'SidecarProfile'), broken],
      want: 'nothing',
    },
    {
      rule: 'no Snapshot while no profile can be read',
      objects: [...without('SidecarProfile'), broken],
      want: undefined,
    },
    {
      rule: 'no Snapshot while its Workspace cannot be read',
      objects: [...without('Workspace'), unread],
      want: undefined,
    },
  ])('have $rule', ({ objects, want }) => {
    const readers = start();
    readers.turn(objects);
    const snapshot = readers.snapshotFor('a');
    expect(snapshot === EMPTY_SNAPSHOT ? 'nothing' : snapshot?.entries && 'entries').toBe(want);
  });

  test('have an empty Snapshot for every namespace once sidecars are retired', () => {
    const world = worldOf(BASE);
    const translation = translate(world);
    let retired = false;
    const readers = createSidecarView(
      () => ({ world, translation }),
      () => retired,
    );
    expect(readers.snapshotFor('a')?.entries).not.toEqual([]);
    retired = true;
    expect(readers.snapshotFor('a')).toBe(EMPTY_SNAPSHOT);
    retired = false;
    expect(readers.snapshotFor('a')?.entries).not.toEqual([]);
  });

  test('tell sidecars the fleet of their profile, also when its authority has changed alone', () => {
    const world = worldOf(BASE);
    const translation = translate(world);
    let fleet: { readonly url: string; readonly ca: string } | undefined;
    const readers = createSidecarView(
      () => ({ world, translation }),
      () => false,
      (profile, workspace) => (`${workspace}/${profile.metadata.name}` === 'team-a/default' ? fleet : undefined),
    );
    const told = (): unknown =>
      readers.snapshotFor('a')?.entries.flatMap((entry) => (entry.kind === 'sidecar' ? [entry.body.fleet] : []));
    expect(told()).toEqual([undefined]);
    fleet = { url: 'https://fleet:8443', ca: 'one' };
    expect(told()).toEqual([fleet]);
    const before = readers.snapshotFor('a');
    expect(readers.snapshotFor('a')).toBe(before);
    fleet = { ...fleet, ca: 'two' };
    expect(told()).toEqual([fleet]);
    expect(readers.snapshotFor('a')?.version).not.toBe(before?.version);
  });

  test('have an empty Snapshot for a namespace that has lost its label', () => {
    const labels = { 'gatehouse.dev/workspace': 'team-a', 'gatehouse.dev/injection': 'enabled' };
    const namespace = (given: object): TestObject => ({ kind: 'Namespace', metadata: { name: 'a', labels: given } });
    let latest: Parameters<typeof createSidecarView>[0] = () => undefined;
    const readers = createSidecarView(() => latest());
    const turn = (given: object): void => {
      const world = worldOf([...BASE, namespace(given)], { settings: { consent: 'label' } });
      const translation = translate(world);
      latest = () => ({ world, translation });
    };
    expect(readers.wantsSidecars('a')).toBeUndefined();
    turn(labels);
    expect(readers.wantsSidecars('a')).toBe(true);
    expect(readers.snapshotFor('a')?.entries.map(({ id }) => id)).toContain('sidecar/team-a/default');
    for (const given of [
      { ...labels, 'gatehouse.dev/injection': 'disabled' },
      { 'gatehouse.dev/workspace': 'team-a' },
    ]) {
      turn(given);
      expect(readers.wantsSidecars('a')).toBe(false);
      expect(readers.snapshotFor('a')).toBe(EMPTY_SNAPSHOT);
    }
  });

  test("have the entries of the namespace's workspace alone", () => {
    const readers = start();
    readers.turn(BASE);
    const ids = readers.snapshotFor('a')?.entries.map(({ id }) => id);
    expect(ids).toContain('sidecar/team-a/default');
    expect(JSON.stringify(ids)).not.toContain('team-b');
  });

  test('give the same Snapshot until something in it changes', () => {
    const readers = start();
    readers.turn(BASE);
    const first = readers.snapshotFor('a');
    readers.turn([...BASE, object('VirtualKey', 'b/more', LOCAL)]);
    expect(readers.snapshotFor('a')).toBe(first);
    readers.turn([...BASE, object('VirtualKey', 'a/more', LOCAL)]);
    expect(readers.snapshotFor('a')?.version).not.toBe(first?.version);
  });

  test('use the last good profile or Workspace when it has become invalid', () => {
    const readers = start();
    readers.turn(BASE);
    const first = readers.snapshotFor('a');
    readers.turn([...without('SidecarProfile'), broken]);
    expect(readers.snapshotFor('a')?.version).toBe(first?.version);
    readers.turn([...BASE.filter(({ metadata }) => metadata.name !== 'team-a'), unread]);
    expect(readers.snapshotFor('a')?.entries.map(({ id }) => id)).toContain('sidecar/team-a/default');
  });
});
