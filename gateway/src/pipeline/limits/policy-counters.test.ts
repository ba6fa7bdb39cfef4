import { expect, test } from 'vitest';
import { createBuckets, periodAt } from '../../budgets/index.ts';
import type { PolicyRecord } from '../../snapshot/index.ts';
import { usageBudget } from './policy-counters.ts';

const NOW = Date.UTC(2027, 0, 15);
const buckets = createBuckets({ onOverflow: () => undefined });

function policyOf(usage: Partial<NonNullable<PolicyRecord['usage']>>) {
  const whole = { ...{ name: 'p', type: 'tokens' as const, limit: 100 }, ...usage };
  const policy: PolicyRecord = {
    ...{ id: 'policy/team/UsageLimitPolicy:p', name: 'p', workspace: 'team', rate: undefined },
    ...{ usage: whole, bucketOf: () => undefined, mayApply: () => false },
  };
  return (bucket: string) => usageBudget(policy, whole, { bucket, buckets, nowMs: NOW });
}

test('a group with a reset of its own begins a period, and the other groups go on', () => {
  const budgetOf = policyOf({
    resetAt: '2027-01-05T00:00:00Z',
    groupResets: [
      { group: 'team:red', at: '2027-01-10T10:20:30Z' },
      { group: 'team:early', at: '2027-01-02T00:00:00Z' },
    ],
  });
  const startOf = (group: string) => new Date(periodAt(budgetOf(group).schedule, NOW).startMs).toISOString();
  expect(['team:red', 'team:blue', 'team:early'].map(startOf)).toEqual([
    '2027-01-10T10:20:30.000Z',
    '2027-01-05T00:00:00.000Z',
    '2027-01-05T00:00:00.000Z',
  ]);
  expect(budgetOf('team:red')).toBe(budgetOf('team:red'));
});

test('the counter of a group is the same with and without a reset: only its period changes', () => {
  const groupResets = [{ group: 'team:red', at: '2027-01-10T10:20:30Z' }];
  const [before, after] = [policyOf({}), policyOf({ groupResets })].map((budgetOf) => budgetOf('team:red'));
  expect(after?.id).toBe(before?.id);
  expect(after?.schedule).not.toEqual(before?.schedule);
});
