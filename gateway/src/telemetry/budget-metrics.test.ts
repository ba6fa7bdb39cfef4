import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { type BudgetReading, createBudgetMetrics } from './budget-metrics.ts';

const reading = (slug: string, used: number, bucket?: string): BudgetReading => {
  const kind = bucket === undefined ? 'key' : 'policy';
  const owner = { kind, id: `${kind}/red/${slug}`, slug, bucket };
  return { budget: { id: `${owner.id}|${bucket ?? 'main'}`, slot: 'red', owner, limit: 1_000 }, used };
};

async function scrape(readings: readonly BudgetReading[]): Promise<string[]> {
  const registry = new Registry();
  createBudgetMetrics(registry, () => readings);
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith('gatehouse_'));
}

test('the used part of a budget has its owner and its name', async () => {
  expect(await scrape([reading('app', 250)])).toEqual([
    'gatehouse_budget_used_ratio{kind="key",workspace="red",name="app",budget="main"} 0.25',
  ]);
});

test('groups of a policy share one series, that of the one with the least left', async () => {
  expect(
    await scrape([reading('per-user', 300, 'ada'), reading('per-user', 900, 'eve'), reading('per-user', 1, 'x')]),
  ).toEqual(['gatehouse_budget_used_ratio{kind="policy",workspace="red",name="per-user",budget="per-user"} 0.9']);
});

test('a hundred budgets have a series, those with the least left, whatever their order', async () => {
  const readings = Array.from({ length: 1_000 }, (_, i) => reading(`k${i}`, ((i * 7) % 1_000) + 1));
  const lines = (await scrape(readings)).filter((line) => line.startsWith('gatehouse_budget_used_ratio'));
  expect(lines.map((line) => Number(line.split(' ').at(-1))).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 100 }, (_, i) => (901 + i) / 1_000),
  );
});

test('counters that are used up are counted by the kind of their owner', async () => {
  const lines = await scrape([reading('a', 1_000), reading('b', 1_001), reading('p', 2_000, 'ada'), reading('c', 999)]);
  expect(lines.filter((line) => line.includes('exhausted'))).toEqual([
    'gatehouse_budgets_exhausted{kind="key"} 2',
    'gatehouse_budgets_exhausted{kind="policy"} 1',
  ]);
});
