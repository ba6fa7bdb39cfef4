import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { POSITIVE, REASONS } from './conditions.ts';
import { ERRORS, type ErrorCode, errorRow } from './errors.ts';
import { formatPath, fromZodError } from './issue.ts';

describe('the error table', () => {
  test.for(Object.keys(ERRORS) as ErrorCode[])('row %s can be sent', (code) => {
    const row = errorRow(code);
    expect(row.status).toBeGreaterThanOrEqual(400);
    expect(row.status).toBeLessThan(600);
    expect(row.summary).not.toBe('');
    // Only errors that a target alone has caused let a fallback chain go on.
    if (row.fallback === 'status') expect(['openai', 'provider']).toContain(row.shape);
  });

  test('hides the message of internal errors alone', () => {
    const hidden = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => !errorRow(code).expose);
    expect(hidden).toEqual(['INTERNAL']);
  });
});

test('every positive condition has a reason of its own name', () => {
  for (const type of POSITIVE) expect(REASONS[type].on).toEqual([type]);
});

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
