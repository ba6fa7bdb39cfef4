import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type BudgetDenial,
  type BudgetLimit,
  type Budgets,
  type BudgetsOptions,
  type BudgetUsage,
  createBudgets,
  createMemoryBudgetStore,
  type Spend,
} from './index.ts';

const NOW = Date.UTC(2026, 10, 23);

const budgetOf = (limit: number, over: Partial<BudgetLimit> = {}): BudgetLimit => ({
  id: 'key/team/a|main',
  name: 'main',
  slot: 'team',
  owner: { kind: 'key', id: 'key/team/a', slug: 'a' },
  type: 'tokens',
  limit,
  schedule: {},
  ...over,
});

const open = (over: Partial<BudgetsOptions> = {}): Budgets =>
  createBudgets({ store: createMemoryBudgetStore({ now: () => NOW }), ...over });

async function granted(result: ReturnType<Budgets['reserve']>): Promise<Spend> {
  const spend = await result;
  if (!spend.allowed) throw new Error(`denied: ${spend.reason}`);
  return spend;
}

async function denied(result: ReturnType<Budgets['reserve']>): Promise<BudgetDenial> {
  const denial = await result;
  if (denial.allowed) throw new Error('granted');
  return denial;
}

describe('budgets', () => {
  test('grant while anything is left, and then name the budget and its reset', async () => {
    const budgets = open();
    const budget = budgetOf(100, { schedule: { reset: { period: 'weekly' } } });
    const first = await granted(budgets.reserve([{ budget, estimate: 60 }], NOW));
    const second = await granted(budgets.reserve([{ budget, estimate: 60 }], NOW));
    first.settle([60]);
    second.settle([60]);
    expect(await denied(budgets.reserve([{ budget, estimate: 1 }], NOW))).toEqual({
      allowed: false,
      budget,
      reason: 'exhausted',
      resetsAtMs: Date.UTC(2026, 10, 30),
    });
    expect(budgets.ask([budget], NOW)).toMatchObject({ reason: 'exhausted' });
  });

  test('are there again when the requests that reserved all of them have ended', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const budgets = open();
    const budget = budgetOf(100);
    for (let i = 0; i < 5; i += 1) {
      const spend = await granted(budgets.reserve([{ budget, estimate: 1_000 }], NOW));
      expect(await denied(budgets.reserve([{ budget, estimate: 1_000 }], NOW))).toMatchObject({ reason: 'reserved' });
      spend.settle([10]);
      await vi.advanceTimersByTimeAsync(100); // what is not reserved goes back to the store meanwhile
      expect(budgets.ask([budget], NOW)).toBeUndefined();
    }
  });

  test('hold what is reserved until it ends, and give back what was not spent', async () => {
    const budgets = open();
    const budget = budgetOf(100);
    const spend = await granted(budgets.reserve([{ budget, estimate: 100 }], NOW));
    expect(await denied(budgets.reserve([{ budget, estimate: 1 }], NOW))).toMatchObject({ reason: 'reserved' });
    spend.settle([40]);
    spend.settle([90]);
    spend.release();
    expect(budgets.usage()).toMatchObject([{ used: 40 }]);
    const rest = await granted(budgets.reserve([{ budget, estimate: 60 }], NOW));
    await denied(budgets.reserve([{ budget, estimate: 1 }], NOW));
    rest.release();
    await granted(budgets.reserve([{ budget, estimate: 60 }], NOW));
  });

  test('take nothing of any when one of them denies', async () => {
    const budgets = open();
    const [wide, narrow] = [budgetOf(100, { id: 'wide' }), budgetOf(1, { id: 'narrow' })];
    const spend = await granted(budgets.reserve([{ budget: narrow, estimate: 1 }], NOW));
    spend.settle([1]);
    for (let i = 0; i < 10; i += 1) {
      const charges = [wide, narrow].map((budget) => ({ budget, estimate: 50 }));
      expect(await denied(budgets.reserve(charges, NOW))).toMatchObject({ budget: narrow });
    }
    await granted(budgets.reserve([{ budget: wide, estimate: 100 }], NOW));
    expect(budgets.usage().map(({ used }) => used)).toEqual([1, 0]);
  });

  test('name the first one that nothing is left of', async () => {
    const budgets = open();
    const [one, two] = [budgetOf(1, { id: 'one' }), budgetOf(1, { id: 'two' })];
    for (const budget of [one, two]) (await granted(budgets.reserve([{ budget, estimate: 1 }], NOW))).settle([1]);
    expect(
      await denied(
        budgets.reserve(
          [
            { budget: two, estimate: 1 },
            { budget: one, estimate: 1 },
          ],
          NOW,
        ),
      ),
    ).toMatchObject({
      budget: two,
    });
  });

  test('need something left also for requests of unknown cost', async () => {
    const budgets = open();
    const budget = budgetOf(5);
    (await granted(budgets.reserve([{ budget, estimate: 0 }], NOW))).settle([5]);
    await denied(budgets.reserve([{ budget, estimate: 0 }], NOW));
  });

  test('count whole units, and hold no more than there is for an estimate without an end', async () => {
    const budgets = open();
    const budget = budgetOf(100);
    (await granted(budgets.reserve([{ budget, estimate: 1.5 }], NOW))).settle([1.2]);
    (await granted(budgets.reserve([{ budget, estimate: Number.POSITIVE_INFINITY }], NOW))).settle([3]);
    expect(budgets.usage()).toMatchObject([{ used: 5 }]);
  });

  test('decide alone when a store breaks its promise never to reject', async () => {
    const store = { sync: () => Promise.reject(new Error('broken')), close: async () => undefined };
    const result = await open({ store }).reserve([{ budget: budgetOf(100), estimate: 1 }], NOW);
    expect(result.allowed).toBe(true);
  });

  test.for([-1, Number.NaN, Number.POSITIVE_INFINITY])('count the estimate for an amount of %s', async (amount) => {
    const budgets = open();
    (await granted(budgets.reserve([{ budget: budgetOf(100), estimate: 7 }], NOW))).settle([amount]);
    expect(budgets.usage()).toMatchObject([{ used: 7 }]);
  });

  test('admit again when the limit is raised, and stop when it is lowered', async () => {
    const budgets = open();
    (await granted(budgets.reserve([{ budget: budgetOf(10), estimate: 10 }], NOW))).settle([10]);
    await denied(budgets.reserve([{ budget: budgetOf(10), estimate: 10 }], NOW));
    expect(budgets.ask([budgetOf(20)], NOW)).toBeUndefined();
    (await granted(budgets.reserve([{ budget: budgetOf(20), estimate: 5 }], NOW))).settle([5]);
    await denied(budgets.reserve([{ budget: budgetOf(12), estimate: 1 }], NOW));
  });

  test('tell when a budget reaches its alert and its end', async () => {
    const budgets = open();
    const told: Pick<BudgetUsage, 'used' | 'alert' | 'exhausted'>[] = [];
    budgets.onChange(({ used, alert, exhausted }) => told.push({ used, alert, exhausted }));
    const budget = budgetOf(100, { alertAt: 50 });
    for (let i = 0; i < 10; i += 1) (await granted(budgets.reserve([{ budget, estimate: 10 }], NOW))).settle([10]);
    expect(told).toEqual([
      { used: 50, alert: true, exhausted: false },
      { used: 100, alert: true, exhausted: true },
    ]);
  });

  test('answer at once while the process holds enough', async () => {
    const budgets = open();
    const budget = budgetOf(1_000);
    await budgets.reserve([{ budget, estimate: 1 }], NOW);
    expect(budgets.reserve([{ budget, estimate: 1 }], NOW)).not.toBeInstanceOf(Promise);
  });
});

describe('processes that share a store', () => {
  test('together grant what is left, however many ask at once', async () => {
    const store = createMemoryBudgetStore({ now: () => NOW });
    const processes = Array.from({ length: 4 }, () => open({ store }));
    const budget = budgetOf(100);
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, i) => processes[i % 4]?.reserve([{ budget, estimate: 10 }], NOW)),
    );
    expect(results.filter((result) => result?.allowed)).toHaveLength(10);
  });

  test('get back what another one returns when it ends', async () => {
    const store = createMemoryBudgetStore({ now: () => NOW });
    const shared = { ...store, close: async () => undefined };
    const [one, two] = [open({ store: shared }), open({ store: shared })];
    const budget = budgetOf(1_000);
    const spend = await granted(one.reserve([{ budget, estimate: 100 }], NOW));
    spend.settle([30]);
    await one.close();
    await granted(two.reserve([{ budget, estimate: 970 }], NOW));
    expect(two.usage()).toMatchObject([{ used: 30 }]);
  });
});
