import { expect, test } from 'vitest';
import { rolesOf } from '../../rbac.ts';
import { rbac } from './rbac.ts';

test('the rights of the fleet controller hold where it watches, and let it bind one role only', () => {
  const { cluster, watched, own } = rolesOf(rbac);
  expect([cluster, own]).toEqual([[], []]);
  expect(watched.filter(({ verbs }) => verbs.includes('bind')).map(({ resourceNames }) => resourceNames)).toEqual([
    ['gatehouse-gateway'],
  ]);
  const ofSecrets = watched.filter(({ resources }) => resources.includes('secrets')).flatMap(({ verbs }) => verbs);
  expect(ofSecrets).not.toContain('list');
});
