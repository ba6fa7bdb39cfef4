import fc from 'fast-check';
import { expect, test } from 'vitest';
import { latencyStep, msOfStep } from './latency.ts';

test('a step tells a time within 5 %', () => {
  fc.assert(
    fc.property(fc.double({ min: 1, max: 1e9, noNaN: true }), (ms) => {
      expect(Math.abs(msOfStep(latencyStep(ms)) / ms - 1)).toBeLessThan(0.0501);
    }),
  );
});

test('steps never fall while times rise', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e12, noNaN: true }),
      fc.double({ min: 0, max: 1e12, noNaN: true }),
      (a, b) => {
        expect(latencyStep(Math.min(a, b))).toBeLessThanOrEqual(latencyStep(Math.max(a, b)));
      },
    ),
  );
});

test('times below a millisecond share the first step, and there is a last one', () => {
  expect([latencyStep(0), latencyStep(0.99), latencyStep(1)]).toEqual([0, 0, 1]);
  expect(latencyStep(Number.MAX_VALUE)).toBe(latencyStep(1e10));
});
