import { expect, test } from 'vitest';
import { planOf } from './plan.ts';

const plan = planOf({ minutes: 60, changes: 50, rollouts: 3 });
const timesOf = (kind: string): number[] => plan.filter((event) => event.kind === kind).map(({ atMs }) => atMs);

test('everything is in it, in order', () => {
  expect([timesOf('change').length, timesOf('rollout').length]).toEqual([50, 3]);
  expect(plan.map(({ atMs }) => atMs)).toEqual(plan.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
});

test('changes are spread over the whole time, rollouts over the first half', () => {
  expect(Math.min(...timesOf('change'))).toBeLessThan(60_000);
  expect(Math.max(...timesOf('change'))).toBeGreaterThan(59 * 60_000);
  expect(Math.max(...timesOf('rollout'))).toBeLessThan(30 * 60_000);
});

test('nothing happens when nothing is asked for', () => {
  expect(planOf({ minutes: 1, changes: 0, rollouts: 0 })).toEqual([]);
});
