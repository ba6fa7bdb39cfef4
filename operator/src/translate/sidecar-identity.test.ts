import type { AnyEntry } from '@gatehouse/crds/snapshot';
import { describe, expect, test } from 'vitest';
import { indexPublished } from './incremental/index.ts';
import { type TestObject, worldOf } from './test-world.ts';
import { type Translation, translate } from './translate.ts';

const object = (kind: string, place: string, spec: object, metadata: object = {}): TestObject => {
  const [namespace, name = ''] = place.includes('/') ? place.split('/') : [undefined, place];
  const home = namespace === undefined ? {} : { namespace };
  return { kind, metadata: { name, ...home, generation: 1, ...metadata }, spec };
};
const namespace = (name: string, labels: Record<string, string>): TestObject => ({
  kind: 'Namespace',
  metadata: { name, labels },
});

const ENABLED = { 'gatehouse.dev/injection': 'enabled' };
const OWNED = { 'gatehouse.dev/workspace': 'team-a' };
const LABELLED = namespace('team-a', { ...OWNED, ...ENABLED });
const WORKSPACE = object('Workspace', 'team-a', { namespace: 'team-a' });
const FLEET = object('GatewayFleet', 'gateways/main', {});
const to = (name: string, home: string) => ({ fleetRef: { name, namespace: home } });
const PROFILE = object('SidecarProfile', 'team-a/app', to('main', 'gateways'));
const ALL = [LABELLED, WORKSPACE, FLEET, PROFILE];
const BROKEN_PROFILE = object('SidecarProfile', 'team-a/app', { port: 'none' });
const BROKEN_FLEET = object('GatewayFleet', 'gateways/main', { replicas: 'many' });
const BROKEN_WORKSPACE = object('Workspace', 'team-a', { namespace: 'team-a', bogus: 1 });

const SETTINGS = { consent: 'label', fleetNamespaces: ['gateways'] } as const;
const worldWith = (objects: readonly TestObject[]) => worldOf(objects, { settings: SETTINGS });
const run = (objects: readonly TestObject[], before?: Translation): Translation =>
  translate(worldWith(objects), before);
const restarted = (objects: readonly TestObject[], entries: readonly AnyEntry[]): Translation =>
  translate(worldWith(objects), undefined, indexPublished(entries));

function identityOf({ snapshot }: Translation, name = 'team-a') {
  const entry = snapshot.entries.find(({ id }) => id === `workspace/${name}/${name}`);
  return entry?.kind === 'workspace' ? (entry.body.sidecarIdentity ?? 'none') : 'no workspace';
}

const without = (...gone: readonly TestObject[]) => ALL.filter((one) => !gone.includes(one));
const GRANTED = { namespace: 'team-a', scopes: ['completions.write', 'virtual_keys.list'] };

describe('pods of a namespace', () => {
  test('act in its workspace when a profile there names a fleet', () => {
    expect(identityOf(run(ALL))).toEqual(GRANTED);
  });

  test.for([
    { rule: 'no profile', objects: without(PROFILE) },
    { rule: 'a profile without a fleet', objects: [...without(PROFILE), object('SidecarProfile', 'team-a/app', {})] },
    { rule: 'no label for injection', objects: [...without(LABELLED), namespace('team-a', OWNED)] },
    { rule: 'a fleet that does not exist', objects: without(FLEET) },
    {
      rule: 'a fleet of their own',
      objects: [
        ...without(PROFILE),
        object('GatewayFleet', 'team-a/mine', {}),
        object('SidecarProfile', 'team-a/app', { fleetRef: { name: 'mine' } }),
      ],
    },
    { rule: 'a profile that has never been valid', objects: [...without(PROFILE), BROKEN_PROFILE] },
    {
      rule: 'a profile that is being deleted',
      objects: [
        ...without(PROFILE),
        { ...PROFILE, metadata: { ...PROFILE.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
      ],
    },
  ])('do not with $rule, and no longer once it is so', ({ objects }) => {
    expect(identityOf(run(objects))).toBe('none');
    const after = run(objects, run(ALL));
    const isKept = objects.includes(BROKEN_PROFILE);
    expect(identityOf(after)).toEqual(isKept ? GRANTED : 'none');
  });

  test('do not by a profile of another namespace', () => {
    const elsewhere = [
      namespace('team-b', { 'gatehouse.dev/workspace': 'team-b', ...ENABLED }),
      object('Workspace', 'team-b', { namespace: 'team-b' }),
      object('SidecarProfile', 'team-b/app', to('main', 'gateways')),
    ];
    const translation = run([...without(PROFILE), ...elsewhere]);
    expect([identityOf(translation), identityOf(translation, 'team-b')]).toEqual([
      'none',
      { ...GRANTED, namespace: 'team-b' },
    ]);
  });

  test('act while the profile is suspended, since running sidecars are served then', () => {
    const suspended = object('SidecarProfile', 'team-a/app', { ...to('main', 'gateways'), suspend: true });
    expect(identityOf(run([...without(PROFILE), suspended]))).toEqual(GRANTED);
  });

  test('follow the namespace to its next workspace', () => {
    const moved = [
      namespace('team-a', { 'gatehouse.dev/workspace': 'heir', ...ENABLED }),
      object('Workspace', 'heir', { namespace: 'team-a' }),
      WORKSPACE,
      FLEET,
      PROFILE,
    ];
    const after = run(moved, run(ALL));
    expect([identityOf(after), identityOf(after, 'heir')]).toEqual(['no workspace', GRANTED]);
  });
});

describe('after a restart', () => {
  const { entries } = run(ALL).snapshot;

  test.for([
    { rule: 'the profile', objects: [...without(PROFILE), BROKEN_PROFILE] },
    { rule: 'the fleet', objects: [...without(FLEET), BROKEN_FLEET] },
    { rule: 'the Workspace', objects: [...without(WORKSPACE), BROKEN_WORKSPACE] },
  ])('it is as before while $rule is broken', ({ objects }) => {
    const again = restarted(objects, entries);
    expect(identityOf(again)).toEqual(GRANTED);
    expect(identityOf(run(objects, again))).toEqual(GRANTED);
  });

  test.for([
    { rule: 'the profile is gone', objects: [...without(WORKSPACE, PROFILE), BROKEN_WORKSPACE] },
    {
      rule: 'the label is gone',
      objects: [...without(WORKSPACE, LABELLED), BROKEN_WORKSPACE, namespace('team-a', OWNED)],
    },
  ])('it ends when $rule, also while the Workspace is broken', ({ objects }) => {
    expect(identityOf(restarted(objects, entries))).toBe('none');
  });
});
