import { parseResource, type SidecarProfile } from '@gatehouse/crds/kinds';
import { type AnyEntry, digestOf, ENTRY_BODIES } from '@gatehouse/crds/snapshot';
import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { type TestObject, worldOf } from '../test-world.ts';
import { translate } from '../translate.ts';
import { fleetNeeds, sidecarSnapshot } from './sidecar-snapshot.ts';

const ORGANISATION = 'gatehouse-system';
const object = (kind: string, place: string, spec: object): TestObject => {
  const [namespace, name = ''] = place.includes('/') ? place.split('/') : [undefined, place];
  return { kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }), generation: 1 }, spec };
};
const secret = (place: string, key: string): TestObject => ({
  ...object('Secret', place, {}),
  stringData: { key },
});
const account = { provider: 'openai', secretRef: { name: 'openai', key: 'key' } };
const grant = (integration: string) => ({ integrationRef: { name: integration }, workspaceRef: { name: 'team-a' } });
const config = (...targets: object[]) => ({ config: { strategy: { mode: 'fallback' }, targets } });
const key = (digit: string) => ({
  type: 'workspace-service',
  sha256: digit.repeat(64),
  scopes: ['completions.write'],
});

/** Two tenants; team-a has a provider of its own, one that stands on the organisation's account, and a granted one. */
const OBJECTS: readonly TestObject[] = [
  object('Workspace', 'team-a', { namespace: 'a' }),
  object('Workspace', 'team-b', { namespace: 'b' }),
  secret(`${ORGANISATION}/openai`, 'sk-organisation'),
  secret('a/openai', 'sk-team-a'),
  secret('b/openai', 'sk-team-b'),
  object('Integration', `${ORGANISATION}/shared`, account),
  object('IntegrationAccess', `${ORGANISATION}/shared-a`, grant('shared')),
  object('Provider', `${ORGANISATION}/granted`, { integrationRef: { name: 'shared' } }),
  object('VirtualKey', `${ORGANISATION}/private`, account),
  object('VirtualKey', `${ORGANISATION}/local`, { provider: 'ollama', customHost: 'http://ollama:11434' }),
  object('IntegrationAccess', `${ORGANISATION}/local-a`, grant('local')),
  object('GatewayConfig', `${ORGANISATION}/direct`, config(account)),
  object('GatewayConfig', `${ORGANISATION}/open`, config({ provider: '@granted' })),
  object('Provider', 'a/main', { integrationRef: { name: 'shared' } }),
  object('VirtualKey', 'a/own', account),
  object('GatewayConfig', 'a/plain', config({ provider: '@own' }, { provider: '@local' })),
  object('GatewayConfig', 'a/mixed', config({ provider: '@own' }, { overrideParams: { model: '@granted/gpt-5' } })),
  object('ApiKey', 'a/app', key('a')),
  object('VirtualKey', 'b/own', account),
  object('ApiKey', 'b/app', key('b')),
  object('GatewayConfig', 'b/plain', config({ provider: '@own' })),
];

/** The organisation has put its own config to use for a workspace, which cannot name it. */
const UNDER_DIRECT = [
  ...OBJECTS.filter(({ metadata }) => metadata.name !== 'team-a'),
  object('Workspace', 'team-a', { namespace: 'a', defaults: { configRef: { name: 'direct' } } }),
];

const profile = (name: string, spec: object = {}): SidecarProfile =>
  unwrap(
    parseResource('SidecarProfile', {
      apiVersion: 'gatehouse.dev/v1alpha1',
      kind: 'SidecarProfile',
      metadata: { name, namespace: 'a', generation: 3 },
      spec,
    }),
  );

const snapshotFor = (workspace: string, profiles: readonly SidecarProfile[] = [], objects = OBJECTS) =>
  sidecarSnapshot(translate(worldOf(objects)).snapshot, workspace, profiles);

const find = (entries: readonly AnyEntry[], id: string) => entries.find((entry) => entry.id === id);

describe('the Snapshot of a sidecar', () => {
  const { entries } = snapshotFor('team-a', [profile('default'), profile('batch')]);

  test("does not name the default workspace, which may be another tenant's", () => {
    const entry = find(snapshotFor('team-b').entries, 'organisation//default');
    expect(entry?.body).not.toHaveProperty('defaultWorkspace');
    expect(find(translate(worldOf(OBJECTS)).snapshot.entries, 'organisation//default')?.body).toHaveProperty(
      'defaultWorkspace',
    );
  });

  test('holds what is the workspace’s own or granted to it, in order, and no key', () => {
    expect(entries.map(({ id }) => id)).toEqual([
      'config//open',
      'config/team-a/mixed',
      'config/team-a/plain',
      'credential/team-a/VirtualKey:own',
      'organisation//default',
      'provider//granted',
      'provider//local',
      'provider/team-a/main',
      'provider/team-a/own',
      'sidecar/team-a/batch',
      'sidecar/team-a/default',
      'workspace/team-a/team-a',
    ]);
  });

  test('holds no secret but those of the workspace', () => {
    const text = JSON.stringify(entries);
    expect(text).toContain('sk-team-a');
    for (const other of ['sk-organisation', 'sk-team-b', 'a'.repeat(64), 'b'.repeat(64)]) {
      expect(text).not.toContain(other);
    }
  });

  test('marks what only the fleet can call, and nothing else', () => {
    expect(find(entries, 'provider//granted')?.body).toMatchObject({ needsFleet: true });
    expect(find(entries, 'provider/team-a/main')?.body).toMatchObject({ needsFleet: true });
    expect(find(entries, 'provider/team-a/main')?.body).not.toHaveProperty('credential');
    expect(find(entries, 'provider//local')?.body).not.toHaveProperty('needsFleet');
    expect(find(entries, 'provider/team-a/own')?.body).not.toHaveProperty('needsFleet');
    expect(find(snapshotFor('team-a', [], UNDER_DIRECT).entries, 'config//direct')?.body).toHaveProperty('needsFleet', [
      'credential//GatewayConfig:direct:openai:key',
    ]);
    expect(find(entries, 'config/team-a/mixed')?.body).not.toHaveProperty('needsFleet');
  });

  test('hides which other workspaces a provider of the organisation is granted to', () => {
    const access = object('IntegrationAccess', `${ORGANISATION}/shared-b`, {
      integrationRef: { name: 'shared' },
      workspaceRef: { name: 'team-b' },
    });
    const granted = (workspace: string) =>
      find(snapshotFor(workspace, [], [...OBJECTS, access]).entries, 'provider//granted')?.body;
    expect(granted('team-a')).toHaveProperty('grants', ['team-a']);
    expect(granted('team-b')).toHaveProperty('grants', ['team-b']);
    expect(snapshotFor('team-a', [], [...OBJECTS, access]).version).toBe(snapshotFor('team-a').version);
  });

  test('holds a valid body and its digest in every entry', () => {
    for (const { kind, body, digest } of entries) {
      expect(ENTRY_BODIES[kind].safeParse(body).success).toBe(true);
      expect(digest).toBe(digestOf(body));
    }
  });

  test.for([
    { rule: 'of a plain profile', spec: {}, want: { allowConfigOverride: true } },
    {
      rule: 'of a profile with defaults',
      spec: { defaults: { configRef: { name: 'plain' }, metadata: { app: 'x' }, allowConfigOverride: false } },
      want: { config: 'plain', metadata: { app: 'x' }, allowConfigOverride: false },
    },
  ])('has the identity $rule', ({ spec, want }) => {
    const entry = find(snapshotFor('team-a', [profile('default', spec)]).entries, 'sidecar/team-a/default');
    expect(entry).toMatchObject({ workspace: 'team-a', generation: 3 });
    expect(entry?.body).toEqual({
      name: 'default',
      workspace: 'team-a',
      scopes: ['completions.write', 'virtual_keys.list'],
      defaults: want,
    });
  });
});

describe('the version', () => {
  const version = (objects = OBJECTS) => snapshotFor('team-a', [], objects).version;

  test('is the same for the same content and another for any other', () => {
    const edited = OBJECTS.map((item) =>
      item.kind === 'VirtualKey' ? { ...item, spec: { ...account, models: [] } } : item,
    );
    expect(version()).toBe(version([...OBJECTS]));
    expect(version()).not.toBe(version(edited));
    expect(version()).not.toBe(snapshotFor('team-a', [profile('default')]).version);
    expect(Number.isSafeInteger(version())).toBe(true);
  });

  test('does not change with other workspaces', () => {
    expect(version(OBJECTS.filter(({ metadata }) => metadata.namespace !== 'b'))).toBe(version());
  });
});

describe('what needs the fleet', () => {
  test.for([
    {
      rule: 'names the workspace’s providers and the configs that lead to one',
      objects: OBJECTS,
      want: ['GatewayConfig/mixed', 'Provider/main'],
    },
    {
      rule: 'names the config of the organisation that the workspace runs under',
      objects: UNDER_DIRECT,
      want: ['GatewayConfig/direct', 'GatewayConfig/mixed', 'Provider/main'],
    },
    {
      rule: 'leaves out a slug that the workspace has itself',
      objects: [...OBJECTS, object('VirtualKey', 'a/granted', account)],
      want: ['Provider/main'],
    },
    {
      rule: 'is empty without anything of the organisation',
      objects: OBJECTS.filter(({ metadata }) => metadata.namespace !== ORGANISATION),
      want: [],
    },
  ])('$rule', ({ objects, want }) => {
    expect(fleetNeeds(snapshotFor('team-a', [], objects))).toEqual(want);
  });
});

test("an account with the identity of the fleet's pods stays with the fleet", () => {
  const objects = [
    ...OBJECTS,
    object('Organisation', 'default', { cloudIdentityGrants: [{ workspace: 'team-a', clouds: ['aws'] }] }),
    object('VirtualKey', 'a/pod', { provider: 'bedrock', settings: { aws_auth_type: 'serviceRole' } }),
  ];
  const found = snapshotFor('team-a', [], objects).entries.find(({ id }) => id === 'provider/team-a/pod');
  expect(found?.body).toMatchObject({ needsFleet: true });
});
