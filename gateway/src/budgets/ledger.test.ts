/** Single courses of events; any order of them is in ledger-model.test.ts. */
import { describe, expect, test } from 'vitest';
import type { BudgetLimit } from './budgets.ts';
import { LEASE_MS, World } from './testing.ts';

const HOUR_MS = 3_600_000;

const budget: BudgetLimit = {
  id: 'key/team/a|main',
  name: 'main',
  slot: 'team',
  owner: { kind: 'key', id: 'key/team/a', slug: 'a' },
  type: 'tokens',
  limit: 1_000,
  schedule: {},
};

function worldOf(over: { readonly budget?: Partial<BudgetLimit>; readonly policy?: 'open' | 'closed' } = {}) {
  const { policy = 'open' } = over;
  const world = new World({ budget: { ...budget, ...over.budget }, processes: 2, storeFailurePolicy: policy });
  const [one, two] = world.processes;
  if (one === undefined || two === undefined) throw new Error('no processes');
  return { world, one, two };
}

type Process = ReturnType<typeof worldOf>['one'];

async function spend(world: World, process: Process, amount: number): Promise<void> {
  await world.reserve(process, amount);
  await world.settle(process, 0, amount);
}

/** What a process gets that asks for everything. */
async function takeAll(world: World, process: Process): Promise<number> {
  await world.reserve(process, 1_000_000);
  return world.reservedBy(process);
}

const usedBy = ({ ledger }: Process): number | undefined => ledger.usage()[0]?.used;
const totalOf = ({ counter }: World): number =>
  counter === undefined
    ? 0
    : [...counter.shares.values()].reduce((sum, { spent }) => sum + spent, counter.settled + counter.seeded);

describe('what was spent', () => {
  test('is told once when only the answer was lost', async () => {
    const { world, one } = worldOf();
    await spend(world, one, 50);
    one.link = 'deaf';
    await world.flush(one);
    await world.flush(one);
    one.link = 'up';
    await world.retry(one);
    expect(totalOf(world)).toBe(50);
  });

  test('is counted once when the answer was lost and then the store', async () => {
    const { world, one, two } = worldOf();
    await spend(world, one, 50);
    one.link = 'deaf';
    await world.flush(one);
    await spend(world, two, 1);
    await world.flush(two);
    world.lose(true);
    await world.flush(two);
    one.link = 'up';
    await world.retry(one);
    await spend(world, two, 1);
    await world.flush(two);
    expect(totalOf(world)).toBe(52);
  });

  test('while the store was away is told when it is back, and so is what came after', async () => {
    const { world, one } = worldOf();
    await spend(world, one, 50);
    one.link = 'lost';
    for (let i = 0; i < 3; i += 1) {
      await spend(world, one, 10);
      await world.flush(one);
    }
    one.link = 'up';
    await world.retry(one);
    expect(totalOf(world)).toBe(80);
  });

  test('is kept by the others when the store comes back empty', async () => {
    const { world, one, two } = worldOf();
    await spend(world, one, 300);
    await world.flush(one);
    await spend(world, two, 200);
    await world.flush(two);
    await spend(world, one, 7);
    world.lose(true);
    await world.flush(one);
    await world.flush(two);
    expect(totalOf(world)).toBe(507);
    await world.flush(one); // nobody has asked it for anything since
    expect(await takeAll(world, two)).toBe(493);
  });

  test('is counted once when the store goes back to an earlier state', async () => {
    const { world, one } = worldOf();
    await spend(world, one, 100);
    await world.flush(one);
    world.backUp();
    await spend(world, one, 60);
    await world.flush(one);
    world.lose(false);
    await spend(world, one, 1);
    await world.flush(one);
    expect(totalOf(world)).toBe(161);
  });

  test('is counted once by a process that was idle until the store had forgotten it', async () => {
    const { world, one, two } = worldOf();
    await spend(world, one, 100);
    for (let i = 0; i < 3; i += 1) await world.flush(one);
    world.advance(9 * HOUR_MS);
    await spend(world, two, 1);
    await world.flush(two);
    await spend(world, one, 20);
    await world.flush(one);
    expect(totalOf(world)).toBe(121);
    expect(usedBy(one)).toBe(121);
  });

  test('as others know it raises a counter that was lost, once', async () => {
    const { world, one, two } = worldOf();
    await spend(world, one, 300);
    await world.flush(one);
    const [known] = one.ledger.usage();
    if (known === undefined) throw new Error('nothing is known');
    world.crash(one);
    world.lose(true);
    const { periodStartMs, generation, used } = known;
    const total = { id: budget.id, periodStartMs, generation, used };
    two.ledger.seed([total]);
    await spend(world, two, 5);
    two.ledger.seed([total]);
    await world.flush(two);
    await world.flush(two);
    expect(totalOf(world)).toBe(305);
  });

  test('as others know it is not added to a counter that is still there', async () => {
    const { world, one, two } = worldOf();
    await spend(world, one, 300);
    await world.flush(one);
    const [known] = one.ledger.usage();
    two.ledger.seed([{ id: budget.id, periodStartMs: 0, generation: known?.generation ?? '', used: 300 }]);
    await spend(world, two, 5);
    await world.flush(two);
    expect(totalOf(world)).toBe(305);
  });
});

describe('what a process holds', () => {
  test('is free again after its lease when it has crashed', async () => {
    const { world, one, two } = worldOf();
    await world.reserve(one, 900);
    world.crash(one);
    expect(await takeAll(world, two)).toBe(100);
    await world.settle(two, 0, undefined);
    world.advance(LEASE_MS + 1);
    expect(await takeAll(world, two)).toBe(1_000);
  });

  test('is free at once when it ends', async () => {
    const { world, one, two } = worldOf();
    await world.reserve(one, 100);
    await world.end(one);
    expect(await takeAll(world, two)).toBe(999);
  });

  test('stays its own as long as its requests run', async () => {
    const { world, one, two } = worldOf();
    await world.reserve(one, 900);
    for (let i = 0; i < 60; i += 1) {
      world.advance(LEASE_MS / 3);
      await world.flush(one);
    }
    expect(await takeAll(world, two)).toBe(100);
  });

  test('is returned when nobody asks for it', async () => {
    const { world, one, two } = worldOf();
    await spend(world, one, 10);
    await world.flush(one);
    await world.flush(one);
    expect(await takeAll(world, two)).toBe(990);
  });

  test('is not taken back to what an older request says', async () => {
    const { world, one, two } = worldOf({ policy: 'closed' });
    await spend(world, one, 10);
    await world.flush(one);
    one.link = 'late';
    await world.flush(one);
    one.link = 'up';
    await world.retry(one);
    await world.reserve(one, 900);
    await world.deliver();
    expect(await takeAll(world, two)).toBe(90);
  });
});

describe('what a request has reserved and not spent', () => {
  test('is there for the next request at once, also when it was returned to the store', async () => {
    const { world, one } = worldOf();
    for (let i = 0; i < 20; i += 1) {
      await world.reserve(one, 1_500);
      expect(one.open).toHaveLength(1);
      await world.settle(one, 0, 10);
      if (i % 2 === 0) await world.flushUrgent(one);
    }
    expect(usedBy(one)).toBe(200);
  });

  test('is there for requests that were refused meanwhile', async () => {
    const { world, one } = worldOf();
    await world.reserve(one, 1_500);
    for (let i = 0; i < 9; i += 1) await world.reserve(one, 1_500);
    expect(one.open).toHaveLength(1);
    await world.settle(one, 0, 6);
    await world.flushUrgent(one);
    expect(one.ledger.ask([budget])).toBeUndefined();
    await world.reserve(one, 1_500);
    expect(one.open).toHaveLength(1);
  });

  test('is there for another process soon', async () => {
    const { world, one, two } = worldOf();
    await world.reserve(one, 1_500);
    await world.reserve(two, 1_500);
    expect(two.open).toHaveLength(0);
    await world.settle(one, 0, 6);
    await world.flushUrgent(one);
    world.advance(200);
    await world.reserve(two, 1_500);
    expect(two.open).toHaveLength(1);
  });
});

describe('a reset', () => {
  const daily = { budget: { schedule: { reset: { days: 1 } } } } as const;
  const TO_MIDNIGHT_MS = 300_000;

  test('is at the same moment for all, whatever their clocks say', async () => {
    const { world } = worldOf(daily);
    world.start(-3 * HOUR_MS);
    world.start(30 * HOUR_MS);
    for (const process of world.processes) await spend(world, process, 100);
    world.advance(TO_MIDNIGHT_MS - 1);
    for (const process of world.processes) await spend(world, process, 100);
    for (const process of world.processes) await world.flush(process);
    expect(totalOf(world)).toBe(800);
    world.advance(1);
    for (const process of world.processes) await spend(world, process, 10);
    for (const process of world.processes) await world.flush(process);
    expect(totalOf(world)).toBe(40);
  });

  test('leaves what began before it to the period that is over', async () => {
    const { world, one, two } = worldOf(daily);
    await world.reserve(one, 800);
    world.advance(TO_MIDNIGHT_MS);
    await world.reserve(one, 100);
    await world.settle(one, 0, 800);
    await world.flush(one);
    expect(totalOf(world)).toBe(0);
    expect(await takeAll(world, two)).toBe(1_000 - 100 - 112); // what the other one holds in the new period
  });
});

describe('while the store is away', () => {
  test('a process spends what it holds and its share of what was left', async () => {
    const { world, one } = worldOf();
    await world.reserve(one, 100); // and 112 to spare
    one.link = 'down';
    expect(await takeAll(world, one)).toBe(1_000); // it was the only one
    await world.reserve(one, 1);
    expect(one.open).toHaveLength(2);
  });

  test('a process that never met the budget spends its share of the limit', async () => {
    const { world, one, two } = worldOf();
    for (const process of [one, two]) process.link = 'down';
    expect((await takeAll(world, one)) + (await takeAll(world, two))).toBe(1_000);
  });

  test('a process of the policy closed spends what it holds until its lease ends', async () => {
    const { world, one, two } = worldOf({ policy: 'closed' });
    for (const process of [one, two]) await world.reserve(process, 100);
    for (const process of [one, two]) process.link = 'down';
    await world.reserve(one, 200);
    expect(world.reservedBy(one)).toBe(212);
    world.advance(LEASE_MS);
    const denial = await two.ledger.reserve([{ budget, estimate: 1 }], 0);
    expect(denial).toMatchObject({ allowed: false, reason: 'unavailable' });
  });

  test('requests wait for it once, and no more until it is back', async () => {
    const { one } = worldOf();
    one.link = 'lost';
    const first = one.ledger.reserve([{ budget, estimate: 1 }], 0);
    expect(first).toBeInstanceOf(Promise);
    await first;
    const other = { ...budget, id: 'key/team/b|main' };
    expect(one.ledger.reserve([{ budget: other, estimate: 1 }], 0)).not.toBeInstanceOf(Promise);
  });
});

describe('a budget that is followed', () => {
  const follow = ({ ledger }: Process, total: number): void => ledger.follow(budget, total, 0);

  test('has the use of others, though this process spends nothing, and holds nothing', async () => {
    const { world, one, two } = worldOf();
    await spend(world, one, 50);
    await world.flush(one);
    expect(usedBy(two)).toBeUndefined();
    follow(two, 50);
    await world.flush(two);
    expect(usedBy(two)).toBe(50);
    await spend(world, one, 900);
    await world.flush(one);
    await world.flush(two);
    expect(usedBy(two)).toBe(950);
    expect(await takeAll(world, one)).toBe(50);
  });

  test('is asked about no more when nobody tells of it', async () => {
    const { world, one, two } = worldOf();
    follow(two, 0);
    await world.flush(two);
    world.advance(60_000);
    await spend(world, one, 50);
    await world.flush(one);
    await world.flush(two);
    expect(usedBy(two)).toBe(0);
  });
});
