import type { Revisions, StoredObject } from '@gatehouse/operator/management';
import { expect, test } from 'vitest';
import { followVersions } from './follow-versions.ts';

const config = (name: string, resourceVersion: string): StoredObject<'GatewayConfig'> => ({
  kind: 'GatewayConfig',
  meta: {
    ...{ name, namespace: 'team-a', uid: `uid-${name}`, resourceVersion, labels: {}, annotations: {} },
    ...{ createdAt: '2027-01-01T00:00:00Z', updatedAt: '2027-01-01T00:00:00Z' },
  },
  spec: { config: { provider: '@a' } },
  status: {},
});

test('configs of a folder are kept when they have changed, and forgotten when they are gone', async () => {
  let configs: readonly StoredObject[] = [config('a', '1'), config('b', '1')];
  let isEnabled = false;
  const told: string[] = [];
  const revisions: Revisions = {
    note: ({ meta }) => void told.push(`keep ${meta.uid}`),
    forget: (uid) => void told.push(`forget ${uid}`),
    list: async () => [],
    close: async () => undefined,
  };
  const list = (async () => configs) as Parameters<typeof followVersions>[0]['list'];
  const update = followVersions({ list }, revisions, () => isEnabled);
  await update();
  expect(told).toEqual([]);
  isEnabled = true;
  await update();
  await update();
  expect(told.splice(0)).toEqual(['keep uid-a', 'keep uid-b']);
  configs = [config('b', '2')];
  await update();
  expect(told).toEqual(['keep uid-b', 'forget uid-a']);
});
