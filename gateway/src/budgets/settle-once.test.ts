import { expect, test } from 'vitest';
import type { BudgetStore } from './budget-store.ts';
import type { BudgetLimit } from './budgets.ts';
import { createMemoryBudgetStore } from './memory-store.ts';
import { createOnceCharges } from './settle-once.ts';

const budget: BudgetLimit = {
  ...{ id: 'key/team-a/main:tokens', name: 'tokens', slot: 'team-a', type: 'tokens', limit: 100 },
  owner: { kind: 'key', id: 'key/team-a/main', slug: 'main' },
  schedule: {},
};

const world = () => {
  const totals: number[] = [];
  const store = createMemoryBudgetStore({ onTotal: ({ used }) => void totals.push(used) });
  const charge = async (amount: number, tryNumber: number, of: BudgetStore = store) => {
    const once = createOnceCharges({ store: of, name: 'batch-1', tryNumber });
    const taken = await once.budgets.reserve([{ budget, estimate: amount }], Date.now());
    if (taken.allowed) taken.settle([amount]);
    return await once.tell();
  };
  return { store, charge, total: () => totals.at(-1) ?? 0 };
};

test('a charge that is made again changes nothing', async () => {
  const { charge, total } = world();
  expect(await charge(30, 1)).toEqual([budget]);
  expect(total()).toBe(30);
  expect(await charge(30, 2)).toEqual([budget]);
  expect(await charge(30, 7)).toEqual([budget]);
  expect(total()).toBe(30);
});

test('a charge of more than is left is told whole, and once', async () => {
  const { charge, total } = world();
  await charge(250, 1);
  await charge(250, 2);
  expect(total()).toBe(250);
});

test('counters that are away are no success, whether they have taken the charge or not', async () => {
  const { store, charge, total } = world();
  const dead: BudgetStore = { sync: () => Promise.reject(new Error('away')), close: async () => undefined };
  expect(await charge(30, 1, dead)).toBe(false);
  expect(total()).toBe(0);
  const silent: BudgetStore = {
    sync: async (requests) => {
      const replies = await store.sync(requests);
      return requests.some(({ spent }) => spent > 0) ? [] : replies;
    },
    close: async () => undefined,
  };
  expect(await charge(30, 2, silent)).toBe(false);
  expect(total()).toBe(30);
  expect(await charge(30, 3)).toEqual([budget]);
  expect(total()).toBe(30);
});
