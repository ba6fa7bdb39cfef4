import { expect, test } from 'vitest';
import { waitOf } from './submit.ts';

const TIMING = { pollMs: 5_000, maxPollMs: 60_000 };

test.for([
  { age: 0, want: 5_000 },
  { age: 200_005, want: 20_000 },
  { age: 3_600_000, want: 60_000 },
  { age: 3_600_000, times: 15, want: 360_000 },
  { age: 86_400_000, times: 15, want: 900_000 },
])('after $age ms the next look is $want ms later', ({ age, times, want }) => {
  expect(waitOf(TIMING, age, times)).toBe(want);
});
