import { formatPath } from '@gatehouse/crds';
/** Rules of the organisation for new keys and workspaces: docs/guide/tenancy.md#rules-for-new-keys. */
import { describe, expect, test } from 'vitest';
import { translate } from '../../translate/index.ts';
import { type TestObject, worldOf } from '../../translate/test-world.ts';
import type { AdmissionRequest } from '../admission.ts';
import { reviewResource } from './validate.ts';

const object = (kind: string, place: string, spec: object): TestObject => {
  const [namespace, name = ''] = place.includes('/') ? place.split('/') : [undefined, place];
  return { kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }), generation: 1 }, spec };
};
const HASH = 'a'.repeat(64);
const SERVICE = { type: 'workspace-service', scopes: ['completions.write'], sha256: HASH };
const PERSON = { type: 'workspace-user', user: 'ada', scopes: ['completions.write'] };
const TEAM = { defaults: { metadata: { team: 'search' } } };

const world = worldOf(
  [
    object('Organisation', 'default', {
      metadataSchema: { required: ['team'], properties: { team: { type: 'string', pattern: '^[a-z]+$' } } },
      keyPolicy: { maxLifetimeDays: 30, userKeyRotationDays: 7 },
    }),
    object('Workspace', 'team-a', { namespace: 'a' }),
    object('Workspace', 'team-b', { namespace: 'b', keyPolicy: { maxLifetimeDays: 365 } }),
  ],
  { settings: { mintsKeys: true } },
);
const now = { world, translation: translate(world) };
const view = {
  translatedWorld: () => now,
  isTerminating: () => false,
  now: () => Date.UTC(2027, 0, 1),
};

function fieldsOf(given: TestObject, old?: TestObject): readonly string[] {
  const request: AdmissionRequest = {
    uid: 'u',
    kind: { group: 'gatehouse.dev', version: 'v1alpha1', kind: given.kind },
    operation: old === undefined ? 'CREATE' : 'UPDATE',
    name: given.metadata.name,
    ...(given.metadata.namespace === undefined ? {} : { namespace: given.metadata.namespace }),
    userInfo: { username: 'somebody' },
    object: { apiVersion: 'gatehouse.dev/v1alpha1', ...given },
    ...(old === undefined ? {} : { oldObject: { apiVersion: 'gatehouse.dev/v1alpha1', ...old } }),
  };
  const answer = reviewResource(request, view);
  return answer.allowed ? [] : (answer.causes ?? []).map(({ path }) => formatPath(path));
}

const key = (spec: object, place = 'a/app'): TestObject => object('ApiKey', place, { ...TEAM, ...spec });

describe('a new object', () => {
  test.for<{ rule: string; given: TestObject; fields: readonly string[] }>([
    {
      rule: 'that keeps to the rules is accepted',
      given: key({ ...SERVICE, expiresAt: '2027-01-31T00:00:00Z' }),
      fields: [],
    },
    { rule: 'needs an expiry', given: key(SERVICE), fields: ['spec.expiresAt'] },
    {
      rule: 'must expire soon enough',
      given: key({ ...SERVICE, expiresAt: '2027-02-01T00:00:00Z' }),
      fields: ['spec.expiresAt'],
    },
    {
      rule: 'of a workspace with its own rule follows that one',
      given: key({ ...SERVICE, expiresAt: '2027-06-01T00:00:00Z' }, 'b/app'),
      fields: [],
    },
    {
      rule: 'needs the metadata that is required',
      given: object('ApiKey', 'a/app', { ...SERVICE, expiresAt: '2027-01-10T00:00:00Z' }),
      fields: ['spec.defaults.metadata.team'],
    },
    {
      rule: 'is refused for metadata that does not match',
      given: key({ ...SERVICE, expiresAt: '2027-01-10T00:00:00Z', defaults: { metadata: { team: 'A1' } } }),
      fields: ['spec.defaults.metadata.team'],
    },
    {
      rule: 'that is a Workspace needs the metadata too',
      given: object('Workspace', 'team-c', { namespace: 'c' }),
      fields: ['spec.defaults.metadata.team'],
    },
    {
      rule: 'of a person may leave the rotation out',
      given: key({ ...PERSON, expiresAt: '2027-01-10T00:00:00Z' }),
      fields: [],
    },
    {
      rule: 'of a person may write the period of the rules',
      given: key({ ...PERSON, expiresAt: '2027-01-10T00:00:00Z', rotation: { periodDays: 7 } }),
      fields: [],
    },
    {
      rule: 'of a person may not have another period',
      given: key({ ...PERSON, expiresAt: '2027-01-10T00:00:00Z', rotation: { period: 'monthly' } }),
      fields: ['spec.rotation.periodDays'],
    },
  ])('$rule', ({ given, fields }) => {
    expect(fieldsOf(given)).toEqual(fields);
  });
});

describe('an object from before the rules', () => {
  const old = object('ApiKey', 'a/app', { ...PERSON, rotation: { period: 'monthly' } });

  test('keeps what a write does not change', () => {
    expect(
      fieldsOf(object('ApiKey', 'a/app', { ...PERSON, rotation: { period: 'monthly' }, displayName: 'App' }), old),
    ).toEqual([]);
  });

  test('is refused for what a write changes', () => {
    const changed = object('ApiKey', 'a/app', {
      ...PERSON,
      rotation: { period: 'weekly' },
      expiresAt: '2028-01-01T00:00:00Z',
      defaults: { metadata: { team: '7' } },
    });
    expect(fieldsOf(changed, old)).toEqual([
      'spec.defaults.metadata.team',
      'spec.expiresAt',
      'spec.rotation.periodDays',
    ]);
  });
});
