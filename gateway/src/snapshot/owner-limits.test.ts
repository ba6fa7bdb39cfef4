import { expect, test } from 'vitest';
import { compileBudget } from './owner-limits.ts';

const LIMIT = { name: 'main', type: 'tokens', limit: 100 } as const;
const KEY = { id: 'key/team-a/app', workspace: 'team-a' };
const POLICY = { id: 'policy/team-a/UsageLimitPolicy:per-user', workspace: 'team-a' };

const idOf = (...given: Parameters<typeof compileBudget>): string => compileBudget(...given).id;

test('a budget that counts something else has another counter', () => {
  expect(idOf(KEY, { ...LIMIT, type: 'cost' })).not.toBe(idOf(KEY, LIMIT));
  expect(idOf(KEY, { ...LIMIT, limit: 200 })).toBe(idOf(KEY, LIMIT));
});

test('each budget of an owner, and each group of a policy, has a counter of its own', () => {
  const ids = [
    idOf(KEY, LIMIT),
    idOf(KEY, { ...LIMIT, name: 'other' }),
    idOf({ ...POLICY, bucket: 'api_key:a' }, LIMIT),
    idOf({ ...POLICY, bucket: 'api_key:b' }, LIMIT),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});
