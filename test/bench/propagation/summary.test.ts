import { expect, test } from 'vitest';
import { percentile } from './summary.ts';

const HUNDRED = Array.from({ length: 100 }, (_, i) => 100 - i);

test.for([
  { rule: 'half of the values', values: HUNDRED, share: 0.5, want: 50 },
  { rule: 'all but one in a hundred', values: HUNDRED, share: 0.99, want: 99 },
  { rule: 'the largest', values: HUNDRED, share: 1, want: 100 },
  { rule: 'the smallest', values: HUNDRED, share: 0, want: 1 },
  { rule: 'the only one', values: [7], share: 0.5, want: 7 },
  { rule: 'nothing', values: [], share: 0.5, want: Number.NaN },
])('a percentile of $rule', ({ values, share, want }) => {
  expect(percentile(values, share)).toBe(want);
});
