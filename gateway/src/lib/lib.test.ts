import { describe, expect, test } from 'vitest';
import { newId, randomHex } from './random.ts';
import { compileRegex } from './regex.ts';
import { forEachInSlices } from './slices.ts';

describe('random identifiers', () => {
  test('have their prefix, length and alphabet, and differ', () => {
    const ids = Array.from({ length: 100 }, () => newId('call_', 24));
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^call_[0-9A-Za-z]{24}$/);
  });

  test.for([0, 1, 15, 16])('of %i hex digits have that many', (length) => {
    expect(randomHex(length)).toMatch(new RegExp(`^[0-9a-f]{${length}}$`));
  });
});

describe('a pattern of a user', () => {
  test.for([
    { rule: 'is found anywhere', pattern: 'b+', text: 'abbc', want: true },
    { rule: 'knows case', pattern: 'B', text: 'b', want: false },
    {
      rule: 'survives what would hang a backtracking engine',
      pattern: '^(a+)+$',
      text: `${'a'.repeat(50)}!`,
      want: false,
    },
  ])('$rule', ({ pattern, text, want }) => {
    expect(compileRegex(pattern).test(text, { left: 100_000, nextSlice: async () => {} })).toBe(want);
  });
});

describe('work in slices', () => {
  test('visits every item in order and lets other work in between', async () => {
    const seen: number[] = [];
    let turns = 0;
    const beat = setInterval(() => {
      turns += 1;
    }, 1);
    await forEachInSlices(Array.from({ length: 40 }).keys(), (i) => {
      seen.push(i);
      const end = performance.now() + 2; // an item that takes its time
      while (performance.now() < end);
    });
    clearInterval(beat);
    expect(seen).toEqual([...Array.from({ length: 40 }).keys()]);
    expect(turns).toBeGreaterThan(2);
  });

  test('stops at the first item that throws', async () => {
    const visit = forEachInSlices([1, 2, 3], (i) => {
      if (i === 2) throw new Error('boom');
    });
    await expect(visit).rejects.toThrow('boom');
  });
});
