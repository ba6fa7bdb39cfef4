import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitSlope, inBlocks } from './slope.ts';

const line = (slope: number, count = 20) => Array.from({ length: count }, (_, x) => ({ x, y: 100 + slope * x }));

describe('a slope', () => {
  test('is that of the line its points are on, without error', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_000, max: 1_000 }), (slope) => {
        const fit = fitSlope(line(slope));
        expect(fit.slope).toBeCloseTo(slope, 6);
        expect(fit.error).toBeCloseTo(0, 6);
      }),
    );
  });

  test('of scattered points has the error of the text books', () => {
    const points = [1, 2, 3, 4, 5].map((x, at) => ({ x, y: [2, 4, 5, 4, 5][at] ?? 0 }));
    const { slope, error } = fitSlope(points);
    expect(slope).toBeCloseTo(0.6, 10);
    expect(error).toBeCloseTo(Math.sqrt(2.4 / 3 / 10), 10);
  });

  test('of two points has no error to speak of', () => {
    expect(fitSlope(line(1, 2))).toEqual({ slope: Number.NaN, error: Number.NaN });
  });
});

describe('blocks', () => {
  test('have the median of what is in them', () => {
    const points = [1, 100, 2, 3, 4, 5].map((y, x) => ({ x, y }));
    expect(inBlocks(points, 2)).toEqual([
      { x: 1, y: 2 },
      { x: 4, y: 4 },
    ]);
  });

  test('are the points themselves when there are fewer', () => {
    expect(inBlocks(line(1, 3), 30)).toEqual(line(1, 3));
  });
});
