import { expect, test } from 'vitest';
import { OVERFLOW_BUCKET } from '../../budgets/index.ts';
import type { Denial } from '../../limits/index.ts';
import { compileLimits } from '../../snapshot/index.ts';
import { budgetError, rateError } from './denial.ts';

const denial = (bucket: string): Denial => ({
  allowed: false,
  demand: {
    ...{ subject: `policy/team-a/RateLimitPolicy:per-user|${bucket}`, slot: 'team-a' },
    ...{ unit: 'requests', window: 'rpm', limit: 5, cost: 1 },
  },
  remaining: 0,
  retryAfterMs: 1_000,
});

test('a denial names the group of its policy, and says when that is one for all further groups', () => {
  expect(rateError(denial('metadata.user:ada'), 'target').message).toContain(
    'policy per-user (metadata.user:ada) exceeded',
  );
  const { message } = rateError(denial(OVERFLOW_BUCKET), 'target');
  expect(message).toContain('per-user (one counter for all groups beyond the most that it tells apart) exceeded');
});

test.for(['u2', 'system:serviceaccount:team-a:app', 'https://id.example/users/u2'])(
  'the subject %s of tokens is no API key',
  (subject) => {
    const id = `token/team-a/0123456789abcdef/${subject}`;
    const limits = { rateLimits: [{ type: 'requests' as const, unit: 'rpm' as const, value: 5 }] };
    const budget = { usageLimits: [{ name: 'main', type: 'requests' as const, limit: 5 }] };
    const compiled = compileLimits({ subject: id, workspace: 'team-a' }, { ...limits, ...budget });
    const [demand] = compiled.requests;
    const [spent] = compiled.budgets;
    if (demand === undefined || spent === undefined) throw new Error('there are no limits');
    expect(rateError({ allowed: false, demand, remaining: 0, retryAfterMs: 1 }, 'entry').message).toBe(
      `The subject of tokens ${subject} exceeded its limit of 5 requests per minute`,
    );
    const denied = { allowed: false, budget: spent, reason: 'exhausted', resetsAtMs: undefined } as const;
    expect(budgetError(denied, 'entry').message).toContain(
      `API Key Usage Limit Exceeded: the subject of tokens ${subject} has used up its budget of 5 requests`,
    );
  },
);

test('a ServiceAccount is named with its namespace', () => {
  const rateLimits = [{ type: 'requests' as const, unit: 'rps' as const, value: 5 }];
  const { requests } = compileLimits({ subject: 'workload/team-a/jobs/nightly', workspace: 'team-a' }, { rateLimits });
  const [demand] = requests;
  if (demand === undefined) throw new Error('there are no limits');
  expect(rateError({ allowed: false, demand, remaining: 0, retryAfterMs: 1 }, 'entry').message).toBe(
    'The ServiceAccount jobs/nightly exceeded its limit of 5 requests per second',
  );
});
