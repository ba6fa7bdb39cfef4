/** Any order of requests, faults and clocks: what was spent, what the store counts, and what it may be beyond the limit. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BudgetLimit } from './budgets.ts';
import { LEASE_MS, type Link, World } from './testing.ts';

const LIMIT = 300;

const budget: BudgetLimit = {
  id: 'key/team/a|main',
  name: 'main',
  slot: 'team',
  owner: { kind: 'key', id: 'key/team/a', slug: 'a' },
  type: 'tokens',
  limit: LIMIT,
  schedule: { reset: { days: 1 } },
};

/** Nothing has to be compared after each step: the world knows what was spent. */
type Model = object;

class Step implements fc.AsyncCommand<Model, World> {
  readonly #name: string;
  readonly #run: (world: World) => Promise<void> | void;
  constructor(name: string, run: (world: World) => Promise<void> | void) {
    this.#name = name;
    this.#run = run;
  }
  check = (): boolean => true;
  run = async (_model: Model, world: World): Promise<void> => {
    await this.#run(world);
    expectNothingTwice(world);
  };
  toString = (): string => this.#name;
}

const who = fc.nat({ max: 2 });
const amount = fc.integer({ min: 1, max: 150 });
const step = <T extends unknown[]>(
  name: string,
  args: fc.Arbitrary<T>,
  run: (world: World, ...args: T) => Promise<void> | void,
): fc.Arbitrary<Step> => args.map((given) => new Step(`${name}(${given.join(', ')})`, (world) => run(world, ...given)));

const requests = [
  step('reserve', fc.tuple(who, amount), async (world, index, estimate) => {
    const process = world.living(index);
    if (process !== undefined) await world.reserve(process, estimate);
  }),
  step('settle', fc.tuple(who, fc.nat(), amount), async (world, index, which, actual) => {
    const process = world.living(index);
    if (process !== undefined) await world.settle(process, which, actual);
  }),
  step('release', fc.tuple(who, fc.nat()), async (world, index, which) => {
    const process = world.living(index);
    if (process !== undefined) await world.settle(process, which, undefined);
  }),
];
const work = [
  step('flush', fc.tuple(who), async (world, index) => {
    const process = world.living(index);
    if (process !== undefined) await world.flush(process);
  }),
  step('flushUrgent', fc.tuple(who), async (world, index) => {
    const process = world.living(index);
    if (process !== undefined) await world.flushUrgent(process);
  }),
  step('retry', fc.tuple(who), async (world, index) => {
    const process = world.living(index);
    if (process !== undefined) await world.retry(process);
  }),
  step('advance', fc.tuple(fc.constantFrom(1, 200, 5_000, 20_000, 40_000, 90_000)), (world, ms) => world.advance(ms)),
  step('start', fc.tuple(fc.constantFrom(0, -86_400_000, 7_200_000)), (world, skewMs) => world.start(skewMs)),
];
const links = [
  step(
    'link',
    fc.tuple(who, fc.constantFrom<Link>('up', 'down', 'lost', 'deaf', 'late', 'slow')),
    (world, index, link) => {
      const process = world.living(index);
      if (process !== undefined) process.link = link;
    },
  ),
  step('deliver', fc.tuple(), (world) => world.deliver()),
];
const ends = [
  step('crash', fc.tuple(who), (world, index) => {
    const process = world.living(index);
    if (process !== undefined) world.crash(process);
  }),
  step('end', fc.tuple(who), async (world, index) => {
    const process = world.living(index);
    if (process !== undefined) await world.end(process);
  }),
];
const losses = [
  step('backUp', fc.tuple(), (world) => world.backUp()),
  step('lose', fc.tuple(fc.boolean()), (world, everything) => world.lose(everything)),
];
const clocks = [
  step('skewStore', fc.tuple(fc.constantFrom(-7_000, 3_000, 120_000)), (world, ms) => world.skewStore(ms)),
];

const policies = fc.constantFrom<'open' | 'closed'>('open', 'closed');

/** The store never counts more than was spent. */
function expectNothingTwice(world: World): void {
  const { counter } = world;
  if (counter !== undefined) expect(totalOf(world)).toBeLessThanOrEqual(world.spentIn(counter.periodStartMs));
}

function expectBound(world: World): void {
  for (const periodStartMs of world.periods()) {
    expect(world.spentIn(periodStartMs)).toBeLessThanOrEqual(LIMIT + (world.allowed.get(periodStartMs) ?? 0));
  }
}

function totalOf({ counter }: World): number {
  if (counter === undefined) return 0;
  return [...counter.shares.values()].reduce((sum, { spent }) => sum + spent, counter.settled + counter.seeded);
}

/** Each process that can still tell it has told all that it spent. */
function expectAllTold(world: World): void {
  const { counter } = world;
  if (counter === undefined) return;
  for (const { holder, isAlive, spent } of world.processes) {
    if (!isAlive) continue;
    const shares = [...counter.shares].filter(([name]) => name.startsWith(`${holder}.`));
    const told = shares.reduce((sum, [, share]) => sum + share.spent, 0);
    expect(told).toBe(spent.get(counter.periodStartMs) ?? 0);
  }
}

/** What is left can be reserved by one that asks for it. */
async function expectAllReturned(world: World): Promise<void> {
  world.advance(2 * LEASE_MS);
  for (const process of world.processes.filter(({ isAlive }) => isAlive)) {
    await world.flush(process);
    await world.flush(process);
  }
  const left = Math.max(LIMIT - totalOf(world), 0);
  const isSamePeriod = world.isInPeriodOfCounter;
  world.start();
  const process = world.processes.at(-1);
  if (process === undefined) return;
  await world.reserve(process, 10 * LIMIT);
  expect(world.reservedBy(process)).toBe(isSamePeriod ? left : LIMIT);
}

const run = (steps: readonly fc.Arbitrary<Step>[], check: (world: World) => Promise<void> | void): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.commands([...steps], { maxCommands: 60, size: 'max' }), policies, async (commands, policy) => {
      const world = new World({ budget, processes: 2, storeFailurePolicy: policy });
      await fc.asyncModelRun(() => ({ model: {}, real: world }), commands);
      await world.settleDown();
      await check(world);
    }),
    { numRuns: 1_000 },
  );

describe('budgets of many processes', () => {
  test('exceed the limit by the excess of single requests only, and are counted to the unit', () =>
    run([...requests, ...requests, ...work], async (world) => {
      expectBound(world);
      expectAllTold(world);
      expect(totalOf(world)).toBe(world.spentInCurrent());
      await expectAllReturned(world);
    }));

  test('exceed the limit by the stated bound only, whatever happens to processes and the network', () =>
    run([...requests, ...requests, ...work, ...links, ...ends], async (world) => {
      expectBound(world);
      expectNothingTwice(world);
      expectAllTold(world);
      await expectAllReturned(world);
    }));

  test('are never counted twice by a store that loses its data or whose clock jumps', () =>
    run([...requests, ...requests, ...work, ...links, ...ends, ...losses, ...clocks], async (world) => {
      expectBound(world);
      expectNothingTwice(world);
      await expectAllReturned(world);
    }));
});
