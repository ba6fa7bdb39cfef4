import { expect, test } from 'vitest';
import { isDeeperThan } from './depth.ts';

test.for([
  { value: 1, levels: 0, want: false },
  { value: null, levels: 0, want: false },
  { value: {}, levels: 0, want: true },
  { value: { a: [1] }, levels: 2, want: false },
  { value: { a: [{}] }, levels: 2, want: true },
  { value: { a: 1, b: { c: { d: 1 } } }, levels: 2, want: true },
])('$value nests deeper than $levels levels: $want', ({ value, levels, want }) => {
  expect(isDeeperThan(value, levels)).toBe(want);
});
