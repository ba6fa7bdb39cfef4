import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byNearestEnd, formatAmount, parseAmount, usedPercent } from './index.ts';

describe('an amount', () => {
  test.for([
    { rule: 'of dollars has as many decimals as it needs', type: 'cost', amount: 1_250_000_000, want: '1.25' },
    { rule: 'of less than a dollar begins with a zero', type: 'cost', amount: 1, want: '0.000000001' },
    { rule: 'of whole dollars has no decimals', type: 'cost', amount: 7_000_000_000, want: '7' },
    { rule: 'of tokens is their number', type: 'tokens', amount: 1_250_000_000, want: '1250000000' },
  ] as const)('$rule', ({ type, amount, want }) => {
    expect(formatAmount(type, amount)).toBe(want);
  });

  test('is the same after it was written and read', () => {
    fc.assert(
      fc.property(fc.constantFrom('cost', 'tokens', 'requests'), fc.maxSafeNat(), (type, amount) => {
        expect(parseAmount(type, formatAmount(type, amount))).toBe(amount);
      }),
    );
  });

  test.for(['', '-1', '1.5', 'x', '1e3', '99999999999999999'])('of tokens is not read from "%s"', (text) => {
    expect(parseAmount('tokens', text)).toBeUndefined();
  });

  test('beyond what a number holds exactly is not read', () => {
    expect(parseAmount('cost', '9007200')).toBeUndefined();
  });
});

test('a budget is at 100 percent only when nothing is left', () => {
  expect([0, 999, 1_000, 1_200].map((used) => usedPercent({ used, limit: 1_000 }))).toEqual([0, 99, 100, 100]);
});

test('the counters with the least left come first', () => {
  const rows = [
    { id: 'c', used: 1, limit: 10 },
    { id: 'b', used: 5, limit: 10 },
    { id: 'a', used: 500, limit: 1_000 },
  ];
  expect(rows.sort(byNearestEnd).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});
