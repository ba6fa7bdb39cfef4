import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Histogram } from './histogram.ts';

const MAX = 2 ** 31 - 1;

const filled = (values: readonly number[]): Histogram => {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram;
};

const exact = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(values.length * share)) - 1] ?? 0;

describe('a histogram', () => {
  test('is empty at first', () => {
    expect(new Histogram().summary()).toEqual({ count: 0, p50: 0, p99: 0, max: 0 });
  });

  test.for([
    { rule: 'small values are exact', values: [0, 1, 2, 3, 255], want: { count: 5, p50: 2, p99: 255, max: 255 } },
    {
      rule: 'one value is every quantile',
      values: [123_456],
      want: { count: 1, p50: 123_456, p99: 123_456, max: 123_456 },
    },
    { rule: 'fractions are rounded', values: [1.4, 1.6], want: { count: 2, p50: 1, p99: 2, max: 2 } },
    {
      rule: 'what is out of range counts as its end',
      values: [-5, 1e12],
      want: { count: 2, p50: 0, p99: MAX, max: MAX },
    },
  ])('$rule', ({ values, want }) => {
    expect(filled(values).summary()).toEqual(want);
  });

  test('answers every quantile at most 0.8 % above the exact value, never below it', () => {
    const values = fc.array(fc.nat(MAX), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (given, share) => {
        const want = exact(given, share);
        const got = filled(given).quantile(share);
        expect(got).toBeGreaterThanOrEqual(want);
        expect(got).toBeLessThanOrEqual(want * (1 + 1 / 128));
      }),
    );
  });
});
