import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { formatPath, fromZodError } from './issue.ts';

describe('a field path', () => {
  test.for([
    { path: [], want: '' },
    { path: ['spec'], want: 'spec' },
    { path: ['spec', 'targets', 0, 'weight'], want: 'spec.targets[0].weight' },
    { path: [0, 1, 'a'], want: '[0][1].a' },
  ])('$want is written as Kubernetes does', ({ path, want }) => {
    expect(formatPath(path)).toBe(want);
  });

  test('of an unknown member points at the member', () => {
    const result = z.strictObject({ a: z.strictObject({}) }).safeParse({ a: { x: 1, y: 2 }, b: 3 });
    const paths = result.error === undefined ? [] : fromZodError(result.error).map(({ path }) => formatPath(path));
    expect(paths.toSorted()).toEqual(['a.x', 'a.y', 'b']);
  });
});
