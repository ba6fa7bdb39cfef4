import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pickWeighted } from './draw.ts';

/** A generator of numbers in [0, 1) that is the same on every machine (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('a draw', () => {
  test.for([
    { rule: 'begins with the first candidate', at: 0, want: 0 },
    { rule: 'ends one candidate where the next begins', at: 0.25, want: 2 },
    { rule: 'stays inside the last one', at: 0.999_999_999_999, want: 3 },
  ])('$rule', ({ at, want }) => {
    expect(pickWeighted([1, 0, 1, 2], [0, 1, 2, 3], at)).toBe(want);
  });

  test('knows only its candidates', () => {
    expect(pickWeighted([100, 1, 1], [1, 2], 0)).toBe(1);
    expect(pickWeighted([100, 1, 1], [1, 2], 0.99)).toBe(2);
  });

  test('gives each candidate its share', () => {
    const draws = 20_000;
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 6 }),
        fc.integer(),
        (weights, seed) => {
          const total = weights.reduce((sum, weight) => sum + weight, 0);
          fc.pre(total > 0);
          const random = seeded(seed);
          const counts = weights.map(() => 0);
          const candidates = [...weights.keys()];
          for (let i = 0; i < draws; i += 1) {
            const index = pickWeighted(weights, candidates, random());
            counts[index] = (counts[index] ?? 0) + 1;
          }
          for (const [i, weight] of weights.entries()) {
            const share = weight / total;
            const deviation = Math.sqrt((share * (1 - share)) / draws);
            expect(Math.abs((counts[i] ?? 0) / draws - share)).toBeLessThanOrEqual(6 * deviation); // 1 in 10^9
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});
