import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interleave, median, medians, pairedDifference, pairedRatio } from './rounds.ts';

describe('a median', () => {
  test.for([
    { rule: 'is the middle one, whatever the order', values: [9, 1, 2], want: 2 },
    { rule: 'of an even number is the mean of the middle two', values: [4, 1, 3, 100], want: 3.5 },
    { rule: 'of one value is that value', values: [7], want: 7 },
    { rule: 'of nothing is no number', values: [], want: Number.NaN },
  ])('$rule', ({ values, want }) => {
    expect(median(values)).toBe(want);
  });

  test('lies between the smallest and the largest', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
        expect(median(values)).toBeGreaterThanOrEqual(Math.min(...values));
        expect(median(values)).toBeLessThanOrEqual(Math.max(...values));
      }),
    );
  });

  test('is taken of each member', () => {
    const rounds = [
      { a: 1, b: 10 },
      { a: 3, b: 30 },
      { a: 2, b: 5 },
    ];
    expect(medians(rounds)).toEqual({ a: 2, b: 10 });
  });
});

describe('pairs of rounds', () => {
  test('cancel what drifts between rounds', () => {
    expect(pairedRatio([50, 100, 10], [100, 200, 20])).toBe(0.5);
    expect(pairedDifference([5, 105, 12], [4, 104, 11])).toBe(1);
  });
});

test('subjects take turns', async () => {
  const turns: string[] = [];
  const results = await interleave(['a', 'b'], 2, async (subject, round) => {
    turns.push(subject + round);
    return round;
  });
  expect(turns).toEqual(['a0', 'b0', 'a1', 'b1']);
  expect([...results]).toEqual([
    ['a', [0, 1]],
    ['b', [0, 1]],
  ]);
});
