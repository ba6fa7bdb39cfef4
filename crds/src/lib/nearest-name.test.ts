import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

const KNOWN = ['openai', 'azure-openai', 'anthropic', 'cohere', 'xai'];

describe('the nearest name', () => {
  test.for([
    { rule: 'of a letter left out', name: 'opnai', want: 'openai' },
    { rule: 'of two letters swapped', name: 'anthorpic', want: 'anthropic' },
    { rule: 'of two letters swapped in a short name', name: 'xia', want: 'xai' },
    { rule: 'in another case', name: 'OpenAI', want: 'openai' },
    { rule: 'of something else is none', name: 'mistral', want: undefined },
    { rule: 'of nothing is none', name: '', want: undefined },
    { rule: 'is the nearer of two', name: 'azur-openai', want: 'azure-openai' },
  ])('$rule', ({ name, want }) => {
    expect(nearestName(name, KNOWN)).toBe(want);
  });

  test('of a known name is that name, and the work is bounded for any text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 20 }), { maxLength: 20 }),
        fc.string(),
        (known, name) => {
          const found = nearestName(name, known);
          expect(found === undefined || known.includes(found)).toBe(true);
          for (const one of known) expect(nearestName(one, known)?.toLowerCase()).toBe(one.toLowerCase());
        },
      ),
      { numRuns: 30 },
    );
    expect(nearestName('a'.repeat(100_000), ['b'.repeat(100_000)])).toBeUndefined();
  });
});
