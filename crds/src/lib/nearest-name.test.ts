import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createComparisonBudget, nearestName } from './nearest-name.ts';

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
    { rule: 'of three edits in a long name', name: 'azre-opnai-', want: 'azure-openai' },
    { rule: 'of four edits in a long name is none', name: 'azre-opna--', want: undefined },
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

  test('is the one of fewest edits, counted in full', () => {
    const letters = fc
      .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 8 }), letters, (known, name) => {
        const max = Math.min(3, Math.max(1, Math.floor(name.length / 3)));
        const nearest = Math.min(max + 1, ...known.map((one) => editsBetween(name, one)));
        const found = nearestName(name, known);
        expect(found === undefined ? max + 1 : editsBetween(name, found)).toBe(nearest);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the work for a wrong name', () => {
  const compared = (name: string, known: readonly string[]): number => {
    const budget = createComparisonBudget();
    const before = budget.left;
    nearestName(name, known, budget);
    return before - budget.left;
  };
  const WRONG = 'a'.repeat(64);

  test('is one comparison for a name that is much longer or shorter', () => {
    expect(compared(WRONG, ['a'.repeat(60), 'b'])).toBe(2);
    expect(compared('openai', ['o'.repeat(1_000)])).toBe(1);
  });

  test('ends early in a name that is different', () => {
    expect(compared(WRONG, ['b'.repeat(64)])).toBeLessThan(50);
  });

  test('is a few comparisons per character of a name that begins the same', () => {
    expect(compared(WRONG, [`${'a'.repeat(60)}bbbb`])).toBeLessThanOrEqual(7 * 64 + 1);
  });

  test('ends when the budget does, whatever names follow', () => {
    const budget = { left: 1_000 };
    const known = Array.from({ length: 1_000 }, () => `${'a'.repeat(60)}bbbb`);
    expect(nearestName(WRONG, [...known.slice(0, 1), WRONG], { ...budget })).toBe(WRONG);
    expect(nearestName(WRONG, [...known, WRONG], budget)).toBeUndefined();
    expect(budget.left).toBeGreaterThan(-7 * 64);
    expect(nearestName('opnai', ['openai'], budget)).toBeUndefined();
  });
});

/** The whole table of optimal string alignment. */
function editsBetween(from: string, to: string): number {
  const table = Array.from({ length: from.length + 1 }, (_, i) =>
    Array.from({ length: to.length + 1 }, (__, j) => (i === 0 ? j : i)),
  );
  const at = (i: number, j: number): number => table[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= from.length; i += 1) {
    for (let j = 1; j <= to.length; j += 1) {
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      const substituted = at(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      table[i]?.splice(j, 1, Math.min(substituted, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1));
    }
  }
  return at(from.length, to.length);
}
