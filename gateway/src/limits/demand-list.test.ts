import { expect, test } from 'vitest';
import { createListMemo, DemandList } from './demand-list.ts';
import type { Demand } from './limiter.ts';

const demand = (over: Partial<Demand> = {}): Demand => ({
  ...{ subject: 'key/team/a', slot: 'team', unit: 'tokens', window: 'rpm', limit: 100, cost: 1 },
  ...over,
});
const list = (...demands: Demand[]): DemandList => new DemandList(demands, ({ subject }) => subject);

test('demands of one counter take the largest cost among them, but for those that take nothing', () => {
  const given = list(
    demand({ cost: 2 }),
    demand({ subject: 'other', cost: 9, takes: false }),
    demand({ cost: 5, estimated: true }),
    demand({ cost: 7, takes: false }),
  );
  expect(given).toMatchObject({ positions: [0, 1, 0, 0], costs: [5, 0], isEstimate: [true, false] });
  expect(given.counters.map(({ subject }) => subject)).toEqual(['key/team/a', 'other']);
});

test('a counter has used the largest actual cost of its demands, or what was reserved where there is none', () => {
  const given = list(demand({ cost: 4 }), demand({ cost: 2 }), demand({ subject: 'room', takes: false }));
  expect(given.usedOf([1, 3, 50])).toEqual([3, 0]);
  expect(given.usedOf([])).toEqual([4, 0]);
  expect(given.usedOf([Number.NaN, 9])).toEqual([9, 0]);
});

test('what is made of a list of demands is made once', () => {
  const demands = [demand()];
  const listOf = createListMemo((given) => new DemandList(given, () => ''));
  expect(listOf(demands)).toBe(listOf(demands));
  expect(listOf([...demands])).not.toBe(listOf(demands));
});
