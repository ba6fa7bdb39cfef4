/** The worked example of docs/guide/limits-and-budgets.md, run as it stands there. */
import { expect, test } from 'vitest';
import { type BudgetLimit, createBudgets, createMemoryBudgetStore } from '../../gateway/src/budgets/index.ts';
import { blocksOf } from './documents.ts';

const NANO = 1_000_000_000;

function example(): ReadonlyMap<string, number> {
  const block = blocksOf('docs/guide/limits-and-budgets.md').find(({ text }) => text.startsWith('budget '));
  const rows = (block?.text ?? '').split('\n').map((line) => /^(\D+?) {2,}([\d.]+)( USD)?$/.exec(line));
  return new Map(
    rows.map((row) => [row?.[1] ?? '', Math.round(Number(row?.[2]) * (row?.[3] === undefined ? 1 : NANO))]),
  );
}

test('the worked example of the guide is what happens', async () => {
  const given = example();
  const of = (name: string): number => given.get(name) ?? Number.NaN;
  const budget: BudgetLimit = {
    id: 'key/team-a/app|main',
    name: 'main',
    slot: 'team-a',
    owner: { kind: 'key', id: 'key/team-a/app', slug: 'app' },
    type: 'cost',
    limit: of('budget'),
    schedule: {},
  };
  const store = createMemoryBudgetStore();
  const pods = Array.from({ length: of('pods') }, () => createBudgets({ store: { ...store, close: async () => {} } }));
  const charges = [{ budget, estimate: of('estimate of each') }];
  const results = await Promise.all(
    Array.from({ length: of('requests at once') }, (_, i) => pods[i % pods.length]?.reserve(charges, Date.now())),
  );
  let admitted = 0;
  for (const result of results) {
    if (result?.allowed !== true) continue;
    admitted += 1;
    result.settle([of('cost of each')]);
  }
  await Promise.all(pods.map((pod) => pod.close()));
  const reader = createBudgets({ store });
  await reader.reserve(charges, Date.now());
  const [usage] = reader.usage();
  await reader.close();
  const spent = usage?.used ?? Number.NaN;
  expect({ admitted, refused: results.length - admitted, spent, overspend: spent - budget.limit }).toEqual({
    admitted: of('admitted'),
    refused: of('refused'),
    spent: of('spent'),
    overspend: of('overspend'),
  });
  expect(of('bound')).toBe(of('admitted') * (of('cost of each') - of('estimate of each')));
});
