import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createByteBudget } from './byte-budget.ts';

describe('a budget of bytes', () => {
  test('refuses what would pass its limit, and counts nothing of it', () => {
    let refused = 0;
    const budget = createByteBudget(100, () => {
      refused += 1;
    });
    const [a, b] = [budget.open(), budget.open()];
    expect([a.take(60), b.take(41), b.take(40)]).toEqual([true, false, true]);
    expect([budget.used, refused]).toEqual([100, 1]);
  });

  test('has room again for what an account gave back', () => {
    const budget = createByteBudget(100);
    const [a, b] = [budget.open(), budget.open()];
    a.take(100);
    a.give(30);
    expect(b.take(30)).toBe(true);
    a.clear();
    expect(budget.used).toBe(30);
    expect(a.take(70)).toBe(true);
  });

  test('releases no more than an account holds', () => {
    const budget = createByteBudget(100);
    const [a, b] = [budget.open(), budget.open()];
    a.take(50);
    b.take(10);
    b.give(1_000);
    b.close();
    expect(budget.used).toBe(50);
  });

  test('lets a closed account take nothing, without counting that as a refusal', () => {
    let refused = 0;
    const budget = createByteBudget(100, () => {
      refused += 1;
    });
    const account = budget.open();
    account.close();
    expect([account.take(1), budget.used, refused]).toEqual([false, 0, 0]);
  });

  test('is empty when all accounts are closed, whatever they did', () => {
    const step = fc.tuple(fc.nat(3), fc.constantFrom('take', 'give', 'clear', 'close'), fc.nat(60));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const budget = createByteBudget(100);
        const accounts = Array.from({ length: 4 }, () => budget.open());
        for (const [at, verb, bytes] of steps) {
          accounts[at]?.[verb](bytes);
          expect(budget.used).toBeGreaterThanOrEqual(0);
          expect(budget.used).toBeLessThanOrEqual(100);
        }
        for (const account of accounts) account.close();
        expect(budget.used).toBe(0);
      }),
    );
  });
});
