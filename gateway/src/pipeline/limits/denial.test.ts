import { expect, test } from 'vitest';
import { OVERFLOW_BUCKET } from '../../budgets/index.ts';
import type { Denial } from '../../limits/index.ts';
import { rateError } from './denial.ts';

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
