import type { AnyEntry, Snapshot } from '@gatehouse/crds/snapshot';
import { expect, test } from 'vitest';
import { createKeyDirectory } from './keys.ts';

const HASH = 'a'.repeat(64);

const snapshotOf = (workspace: string | null, body: object): Snapshot => ({
  schemaVersion: { major: 1, minor: 0 },
  entries: [
    {
      kind: 'key',
      id: 'key/team-a/app',
      workspace,
      generation: 1,
      digest: '',
      body: { name: 'app', sha256: [HASH], scopes: ['policies:list'], ...body },
    } as unknown as AnyEntry,
  ],
});

test.for([
  { rule: 'of the organisation', workspace: null, body: { scopes: ['*'] }, want: { type: 'organisation-service' } },
  { rule: 'of a workspace', workspace: 'team-a', body: {}, want: { type: 'workspace-service', workspace: 'team-a' } },
  { rule: 'of a person', workspace: 'team-a', body: { user: 'ada' }, want: { type: 'workspace-user', user: 'ada' } },
  {
    rule: 'that expires',
    workspace: 'team-a',
    body: { expiresAt: '2027-01-01T00:00:00Z' },
    want: { expiresAtMs: Date.UTC(2027, 0, 1) },
  },
  {
    rule: 'that never expires',
    workspace: 'team-a',
    body: {},
    want: { expiresAtMs: Number.POSITIVE_INFINITY },
  },
])('a key $rule is found by its hash', ({ workspace, body, want }) => {
  const keys = createKeyDirectory(() => snapshotOf(workspace, body));
  expect(keys.find(HASH)).toMatchObject(want);
  expect(keys.find(HASH)?.scopes.has('policies.list')).toBe(true);
  expect(keys.find('b'.repeat(64))).toBeUndefined();
});

test('the previous key is the same key until its end', () => {
  const previous = { sha256: 'b'.repeat(64), expiresAt: '2027-01-01T00:00:00Z' };
  const keys = createKeyDirectory(() => snapshotOf('team-a', { previous, expiresAt: '2028-01-01T00:00:00Z' }));
  const current = keys.find(HASH);
  expect(current?.expiresAtMs).toBe(Date.UTC(2028, 0, 1));
  expect(keys.find(previous.sha256)).toEqual({ ...current, expiresAtMs: Date.UTC(2027, 0, 1) });
});

test('a key that has left the Snapshot is not known any more', () => {
  let snapshot = snapshotOf('team-a', {});
  const keys = createKeyDirectory(() => snapshot);
  expect(keys.find(HASH)).toBeDefined();
  snapshot = { ...snapshot, entries: [] };
  expect(keys.find(HASH)).toBeUndefined();
});
