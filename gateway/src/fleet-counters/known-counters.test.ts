import { policy, provider, workspace } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { createBuckets } from '../budgets/index.ts';
import { viewOf } from '../pipeline/testing.ts';
import { knownCountersOf } from './known-counters.ts';

const NOW = 1_790_000_000_000;
const RATE = { type: 'requests', unit: 'rpd', value: 5 } as const;
const USAGE = { name: 'main', type: 'cost', limit: 1_000 } as const;
const rateLimits = [RATE];
const usageLimits = [USAGE];
const GROUPED = { conditions: [], groupBy: [{ key: 'metadata.user' }] };

const snapshot = await viewOf(
  workspace('team-a', { rateLimits, usageLimits }),
  workspace('team-b', { rateLimits, usageLimits }),
  ...provider('mine', { rateLimits }),
  ...provider('theirs', { workspace: 'team-b', rateLimits }),
  ...provider('lent', {
    ...{ workspace: null, grants: ['team-a', 'team-b'], rateLimits, usageLimits },
    accesses: [
      { name: 'for-a', workspace: 'team-a', rateLimits },
      { name: 'for-b', workspace: 'team-b', rateLimits },
    ],
  }),
  policy('RateLimitPolicy:own', { ...GROUPED, kind: 'rate', rate: RATE }),
  policy('UsageLimitPolicy:own', { ...GROUPED, kind: 'usage', usage: USAGE }),
  policy('RateLimitPolicy:of-all', { ...GROUPED, kind: 'rate', rate: RATE }, null),
);
const counters = knownCountersOf(snapshot, 'team-a', createBuckets({ onOverflow: () => undefined, maxPerPolicy: 2 }));
const rate = (subject: string) => counters.rate({ subject, unit: 'requests', window: 'rpd' }, NOW);

test.for([
  'workspace/team-a/team-a',
  'provider/team-a/mine',
  'access/team-a/for-a',
  'policy/team-a/RateLimitPolicy:own|metadata.user:ada',
])('the counter of %s is one of the workspace, with the limit of the Snapshot', (subject) => {
  expect(rate(subject)).toMatchObject({ subject, slot: 'team-a', limit: 5, cost: 1 });
});

test.for([
  'workspace/team-b/team-b',
  'provider/team-b/theirs',
  'access/team-b/for-b',
  'provider//lent',
  'policy//RateLimitPolicy:of-all|metadata.user:ada',
  'policy/team-a/UsageLimitPolicy:own|metadata.user:ada',
  'nothing',
])('the counter of %s is none of the workspace', (subject) => {
  expect(rate(subject)).toBeUndefined();
});

test('a counter of another unit or window is none', () => {
  const subject = 'workspace/team-a/team-a';
  expect(counters.rate({ subject, unit: 'tokens', window: 'rpd' }, NOW)).toBeUndefined();
  expect(counters.rate({ subject, unit: 'requests', window: 'rpm' }, NOW)).toBeUndefined();
});

test.for<[string, number | undefined]>([
  ['workspace/team-a/team-a|cost|main', 1_000],
  ['policy/team-a/UsageLimitPolicy:own|cost|metadata.user:ada', 1_000],
  ['workspace/team-b/team-b|cost|main', undefined],
  ['provider//lent|cost|main', undefined],
  ['policy/team-a/UsageLimitPolicy:own|tokens|metadata.user:ada', undefined],
])('the budget %s has the limit %s', ([id, limit]) => {
  expect(counters.budget(id, NOW)?.limit).toBe(limit);
});

test('groups that a pod makes up share one counter beyond the bound of a policy', () => {
  const subjects = ['a', 'b', 'c', 'd'].map((name) => rate(`policy/team-a/RateLimitPolicy:own|metadata.user:${name}`));
  expect(new Set(subjects.map((demand) => demand?.subject)).size).toBeLessThan(4);
  expect(subjects.at(-1)?.subject).toBe('policy/team-a/RateLimitPolicy:own|overflow');
});
