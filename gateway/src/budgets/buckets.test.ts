import { expect, test } from 'vitest';
import { createBuckets, OVERFLOW_BUCKET } from './index.ts';

test('the groups of a policy share one counter once there are too many, until the next period', () => {
  const overflows: string[] = [];
  const { of } = createBuckets({ maxPerPolicy: 2, onOverflow: (policy) => overflows.push(policy) });
  expect(['user:a', 'user:b', 'user:c', 'user:a'].map((bucket) => of('p', bucket, 0))).toEqual([
    'user:a',
    'user:b',
    OVERFLOW_BUCKET,
    'user:a',
  ]);
  expect(overflows).toEqual(['p']);
  expect(of('q', 'user:c', 0)).toBe('user:c');
  expect(of('p', 'user:c', 1)).toBe('user:c');
});

test('the groups of all policies together are bounded, and those of the oldest policy go first', () => {
  const { of } = createBuckets({ maxPerPolicy: 2, maxTotal: 3, onOverflow: () => undefined });
  for (const policy of ['p', 'q']) for (const bucket of ['a', 'b']) of(policy, bucket, 0);
  expect(of('q', 'c', 0)).toBe(OVERFLOW_BUCKET);
  expect(of('p', 'c', 0)).toBe('c');
});
