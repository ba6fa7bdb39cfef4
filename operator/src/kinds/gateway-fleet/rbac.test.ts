import { expect, test } from 'vitest';
import { rolesOf } from '../../rbac.ts';
import { rbac } from './rbac.ts';

test('the rights of the fleet controller write only where the platform lets fleets be, and let it bind one role only', () => {
  const { cluster, watched, own, fleets, fleetSecrets, workspaceSecrets } = rolesOf(rbac);
  expect([cluster, own, workspaceSecrets]).toEqual([[], [], []]);
  const foreign = watched.filter(({ apiGroups }) => !apiGroups.includes('gatehouse.dev'));
  expect(new Set(foreign.flatMap(({ verbs }) => verbs))).toEqual(new Set(['list', 'watch']));
  expect(fleets.filter(({ verbs }) => verbs.includes('bind')).map(({ resourceNames }) => resourceNames)).toEqual([
    ['gatehouse-gateway'],
  ]);
  expect(fleets.flatMap(({ resources }) => resources)).not.toContain('secrets');
  expect(fleetSecrets).toEqual([
    { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'watch', 'create', 'patch'] },
  ]);
});
