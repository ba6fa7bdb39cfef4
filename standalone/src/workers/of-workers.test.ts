import type { BudgetUsage } from '@gatehouse/gateway';
import { describe, expect, test } from 'vitest';
import { createBudgetsOfWorkers } from './budgets-of-workers.ts';
import { createLimitsOfWorkers } from './limits-of-workers.ts';
import type { Worker } from './worker.ts';

const usage = (name: string, used: number, periodStartMs = 0): BudgetUsage => ({
  budget: {
    id: `key/red/${name}|tokens|main`,
    name: 'main',
    slot: 'red',
    owner: { kind: 'key', id: `key/red/${name}`, slug: name },
    type: 'tokens',
    limit: 100,
    schedule: {},
  },
  ...{ used, periodStartMs, resetsAtMs: undefined, exhausted: false, alert: false, generation: 'g' },
});

describe('budgets of workers', () => {
  const askedWorkers = (...ids: number[]) => {
    const seeds: unknown[] = [];
    const asked: number[] = [];
    const workers = ids.map((id) => ({
      id,
      requestUsage: () => void asked.push(id),
      seed: (totals: unknown) => void seeds.push(totals),
    }));
    return { budgets: createBudgetsOfWorkers(() => workers), seeds, asked };
  };

  test('are shown once, with the largest use of the newest period', async () => {
    const { budgets, asked } = askedWorkers(1, 2);
    const shown = budgets.usage();
    expect(asked).toEqual([1, 2]);
    budgets.onUsage({ id: 1 }, [usage('a', 7), usage('b', 90)]);
    budgets.onUsage({ id: 2 }, [usage('a', 9), usage('b', 1, 5)]);
    const rows = (await shown).map(({ budget, used }) => [budget.owner.slug, used]);
    expect(rows).toEqual([
      ['a', 9],
      ['b', 1],
    ]);
  });

  test('do not wait for a worker that ends', async () => {
    const { budgets } = askedWorkers(1, 2);
    const shown = budgets.usage();
    budgets.onUsage({ id: 1 }, [usage('a', 7)]);
    budgets.onExit({ id: 2 });
    expect((await shown).map(({ used }) => used)).toEqual([7]);
  });

  test('get totals in all workers', () => {
    const { budgets, seeds } = askedWorkers(1, 2);
    budgets.seed([{ id: 'x', periodStartMs: 0, generation: 'g', used: 1 }]);
    expect(seeds).toHaveLength(2);
  });
});

test('limits of workers are those of the worker that is worst off, and changes are told once', () => {
  const workers: { limits: Worker['limits'] }[] = [{ limits: undefined }, { limits: undefined }];
  const limits = createLimitsOfWorkers(() => workers);
  let told = 0;
  const stop = limits.onChange(() => {
    told += 1;
  });
  limits.update();
  expect([limits.current(), told]).toEqual([undefined, 0]);
  const shared = { counted: 'shared', sinceMs: 1, store: 'a' } as const;
  const local = { counted: 'local', sinceMs: 2, reason: 'disconnected', store: 'a' } as const;
  for (const worker of workers) worker.limits = shared;
  limits.update();
  limits.update();
  expect([limits.current(), told]).toEqual([shared, 1]);
  workers.splice(1, 1, { limits: local });
  limits.update();
  stop();
  workers.splice(1, 1);
  limits.update();
  expect([told, limits.current()]).toEqual([2, shared]);
});
