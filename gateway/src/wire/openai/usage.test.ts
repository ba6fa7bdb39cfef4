import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toUsage } from './usage.ts';

describe('usage', () => {
  test.for([
    [
      'is kept with its details',
      { prompt_tokens: 3, completion_tokens: 2, total_tokens: 9, cost: 0.1 },
      { prompt_tokens: 3, completion_tokens: 2, total_tokens: 9, cost: 0.1 },
    ],
    [
      'gets the total it lacks',
      { prompt_tokens: 3, completion_tokens: 2 },
      { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    ],
    [
      'gets the part it lacks',
      { total_tokens: 5, prompt_tokens: 3 },
      { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    ],
    [
      'of an embedding has no completion',
      { prompt_tokens: 3, total_tokens: 3 },
      { prompt_tokens: 3, completion_tokens: 0, total_tokens: 3 },
    ],
    ['takes placeholders as unknown', { prompt_tokens: -1, completion_tokens: -1, total_tokens: -1 }, undefined],
    ['says nothing without a count', { cost: 1 }, undefined],
    ['may be null', null, undefined],
  ] as const)('%s', ([, given, want]) => {
    expect(toUsage(given)).toEqual(want);
  });

  test('is never negative', () => {
    const count = fc.option(fc.integer({ min: -5, max: 50 }), { nil: undefined });
    fc.assert(
      fc.property(count, count, count, (prompt_tokens, completion_tokens, total_tokens) => {
        const usage = toUsage({ prompt_tokens, completion_tokens, total_tokens });
        for (const value of [usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens]) {
          expect(value ?? 0).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});
