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

test('a budget has the name that its owner gives it, and that of a policy the name of the policy', () => {
  expect(compileBudget(KEY, { ...LIMIT, name: 'a|b' }).name).toBe('a|b');
  expect(compileBudget({ ...POLICY, bucket: 'api_key:a|b' }, LIMIT).name).toBe('per-user');
});

test.for([
  { id: 'key/team-a/app', kind: 'key', slug: 'app' },
  { id: 'token/team-a/0123456789abcdef/https://idp.example/ada', kind: 'key', slug: 'https://idp.example/ada' },
  { id: 'policy/team-a/UsageLimitPolicy:per-user', kind: 'policy', slug: 'per-user' },
])('the owner of a budget of $id is $slug', ({ id, kind, slug }) => {
  expect(compileBudget({ id, workspace: 'team-a' }, LIMIT).owner).toMatchObject({ id, kind, slug });
});
