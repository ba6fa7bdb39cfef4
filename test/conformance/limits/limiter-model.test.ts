/**
 * Any order of requests, faults and times: what windows admit, and what they count in the end. Processes share a Redis over links
 * that fail; a limiter in memory is one process without a network.
 */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createMemoryLimiter,
  createRedisLimiter,
  type Demand,
  type Limiter,
  type Reservation,
  WINDOW_MS,
} from '../../../gateway/src/limits/index.ts';
import { type RedisConnection, StoreUnavailable } from '../../../gateway/src/store/index.ts';
import { hasRedis } from '../../kit/redis.ts';
import { type OpenRedis, openRedis } from '../stores/harness.ts';

const REQUESTS = 12;
const TOKENS = 300;
const HOLD_MS = 60_000;
/** Ten minutes before windows of an hour end. */
const START = Date.UTC(2026, 0, 1, 0, 50);

/** `down` is known not to arrive, of `lost` and `deaf` (only the answer is lost) nobody knows, `late` is answered too late. */
type Link = 'up' | 'down' | 'lost' | 'deaf' | 'late';

interface Process {
  readonly limiter: Limiter;
  link(link: Link): void;
}

interface Open {
  readonly reservation: Reservation;
  readonly process: number;
  readonly estimate: number;
  readonly atMs: number;
}

/** What happened, by start of the window. */
class Tally {
  readonly #units = new Map<number, number>();
  add(startMs: number, units: number): void {
    this.#units.set(startMs, this.of(startMs) + units);
  }
  of(startMs: number): number {
    return this.#units.get(startMs) ?? 0;
  }
  starts(): readonly number[] {
    return [...this.#units.keys()];
  }
}

const hourOf = (nowMs: number): number => nowMs - (nowMs % WINDOW_MS.rph);

class World {
  nowMs = START;
  readonly processes: Process[];
  readonly #start: () => Process;
  readonly #subject = randomBytes(6).toString('hex');
  readonly #open: Open[] = [];
  readonly admitted = new Tally();
  /** Tokens that providers have counted. */
  readonly used = new Tally();
  /** Of them: above the estimate of their request, or of requests whose estimate was returned before they were settled. */
  readonly unforeseen = new Tally();
  /** What counters must have counted at least, and at most: nobody knows of some corrections whether they arrived. */
  readonly told = { least: new Tally(), most: new Tally() };
  #links: Link[];
  /** What processes that are cut off have still to tell. */
  #kept: { readonly process: number; readonly startMs: number; readonly units: number; readonly above: number }[] = [];

  constructor(count: number, start: () => Process) {
    this.#start = start;
    this.processes = Array.from({ length: count }, start);
    this.#links = this.processes.map(() => 'up');
  }

  demands(estimate: number): readonly Demand[] {
    const counter = { subject: this.#subject, slot: 'team', window: 'rph' } as const;
    return [
      { ...counter, unit: 'requests', limit: REQUESTS, cost: 1 },
      { ...counter, unit: 'tokens', limit: TOKENS, cost: estimate, estimated: true },
    ];
  }

  async reserve(index: number, estimate: number): Promise<void> {
    const process = index % this.processes.length;
    const limiter = this.processes[process]?.limiter;
    const answer = Promise.resolve(limiter?.reserve(this.demands(estimate), this.nowMs));
    const result = await answer.catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) throw error;
      return undefined;
    });
    if (!result?.allowed) return;
    this.admitted.add(hourOf(this.nowMs), 1);
    this.#open.push({ reservation: result, process, estimate, atMs: this.nowMs });
  }

  /** `times`: a settlement may be repeated. */
  async settle(which: number, actual: number, times: number): Promise<void> {
    const open = this.#take(which);
    if (open === undefined) return;
    const { process, reservation, estimate } = open;
    const link = this.#links[process] ?? 'up';
    if (link === 'down') {
      const units = countedOf(open, actual, this.nowMs);
      this.#kept.push({ process, startMs: hourOf(this.nowMs), units, above: Math.max(0, actual - estimate) });
    }
    this.#note(open, actual, link === 'lost' ? 'never' : link === 'deaf' || link === 'late' ? 'perhaps' : 'surely');
    for (let i = 0; i < times; i += 1) await reservation.settle([1, actual], this.nowMs);
  }

  /** The provider has answered, and the process forgot it. */
  forget(which: number, actual: number): void {
    const open = this.#take(which);
    if (open !== undefined) this.#note(open, actual, 'never');
  }

  async crash(index: number): Promise<void> {
    const process = index % this.processes.length;
    for (const open of this.#open.filter((other) => other.process === process)) {
      this.#open.splice(this.#open.indexOf(open), 1);
      this.#note(open, open.estimate, 'never');
    }
    for (const { startMs, units } of this.#kept.filter((kept) => kept.process === process)) {
      this.told.least.add(startMs, -units);
    }
    this.#kept = this.#kept.filter((kept) => kept.process !== process);
    await this.processes[process]?.limiter.close();
    this.processes[process] = this.#start();
    this.#links[process] = 'up';
  }

  async link(index: number, link: Link): Promise<void> {
    const process = index % this.processes.length;
    this.#links[process] = link;
    this.processes[process]?.link(link);
    if (link !== 'up') return;
    await this.processes[process]?.limiter.ask(this.demands(1), this.nowMs); // what was kept has been sent before
    for (const kept of this.#kept.filter((other) => other.process === process)) {
      // What exceeds an estimate counts when Redis learns of it.
      if (kept.startMs !== hourOf(this.nowMs)) this.told.most.add(hourOf(this.nowMs), kept.above);
    }
    this.#kept = this.#kept.filter((kept) => kept.process !== process);
  }

  /** Ends everything that is open, and waits until leases of estimates have ended. */
  async finish(): Promise<void> {
    for (let i = 0; i < this.processes.length; i += 1) await this.link(i, 'up');
    while (this.#open.length > 0) await this.settle(0, 1, 1);
    this.nowMs += 2 * HOLD_MS;
  }

  /** Tokens of the current window. */
  async left(): Promise<number> {
    const [, demand] = this.demands(1);
    const room = { ...(demand as Demand), takes: false } as const; // there are two
    const result = await this.processes[0]?.limiter.reserve([room], this.nowMs);
    return result?.allowed ? (result.windows[0]?.remaining ?? Number.NaN) : (result?.remaining ?? Number.NaN);
  }

  #take(which: number): Open | undefined {
    const [open] = this.#open.splice(which % Math.max(1, this.#open.length), 1);
    return open;
  }

  #note({ estimate, atMs }: Open, actual: number, isTold: 'surely' | 'perhaps' | 'never'): void {
    const [reserved, settled] = [hourOf(atMs), hourOf(this.nowMs)];
    const above = Math.max(0, actual - estimate);
    this.used.add(reserved, actual - above);
    this.used.add(settled, above);
    this.unforeseen.add(settled, above);
    const isLate = isTold !== 'surely' || this.nowMs >= atMs + HOLD_MS;
    if (isLate) this.unforeseen.add(reserved, actual - above);
    const counted = countedOf({ estimate, atMs }, actual, this.nowMs);
    if (isTold === 'surely') this.told.least.add(settled, counted);
    // A limiter that has returned the estimate counts all of it when it is settled.
    if (isTold !== 'never') this.told.most.add(settled, isLate ? actual : counted);
  }
}

/** In the window of the settlement. */
function countedOf({ estimate, atMs }: Pick<Open, 'estimate' | 'atMs'>, actual: number, nowMs: number): number {
  return hourOf(atMs) === hourOf(nowMs) ? actual : Math.max(0, actual - estimate);
}

class Step implements fc.AsyncCommand<object, World> {
  readonly #name: string;
  readonly #run: (world: World) => Promise<void> | void;
  constructor(name: string, run: (world: World) => Promise<void> | void) {
    this.#name = name;
    this.#run = run;
  }
  check = (): boolean => true;
  run = async (_model: object, world: World): Promise<void> => {
    await this.#run(world);
    for (const start of world.admitted.starts()) expect(world.admitted.of(start)).toBeLessThanOrEqual(REQUESTS);
    for (const start of world.used.starts()) {
      expect(world.used.of(start)).toBeLessThanOrEqual(TOKENS + world.unforeseen.of(start));
    }
  };
  toString = (): string => this.#name;
}

const step = <T extends unknown[]>(
  name: string,
  args: fc.Arbitrary<T>,
  run: (world: World, ...args: T) => Promise<void> | void,
): fc.Arbitrary<Step> => args.map((given) => new Step(`${name}(${given.join(', ')})`, (world) => run(world, ...given)));

const who = fc.nat({ max: 2 });
const tokens = fc.integer({ min: 1, max: 120 });
const requests = [
  step('reserve', fc.tuple(who, tokens), (world, index, estimate) => world.reserve(index, estimate)),
  step('settle', fc.tuple(fc.nat(), tokens, fc.integer({ min: 1, max: 2 })), (world, ...given) =>
    world.settle(...given),
  ),
  step('advance', fc.tuple(fc.constantFrom(1, 5_000, 40_000, 120_000)), (world, ms) => {
    world.nowMs += ms;
  }),
];
const losses = [step('forget', fc.tuple(fc.nat(), tokens), (world, ...given) => world.forget(...given))];
const faults = [
  step('crash', fc.tuple(who), (world, index) => world.crash(index)),
  step('link', fc.tuple(who, fc.constantFrom<Link>('up', 'down', 'lost', 'deaf', 'late')), (world, index, link) =>
    world.link(index, link),
  ),
];

async function run(steps: readonly fc.Arbitrary<Step>[], start: () => World, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.commands([...steps], { maxCommands: 40, size: 'max' }), async (commands) => {
      const world = start();
      await fc.asyncModelRun(() => ({ model: {}, real: world }), commands);
      await world.finish();
      const left = await world.left();
      const window = hourOf(world.nowMs);
      expect(left).toBeLessThanOrEqual(Math.max(0, TOKENS - world.told.least.of(window)));
      expect(left).toBeGreaterThanOrEqual(Math.max(0, TOKENS - world.told.most.of(window)));
      await Promise.all(world.processes.map(({ limiter }) => limiter.close()));
    }),
    { numRuns },
  );
}

const inMemory = (): World =>
  new World(1, () => ({ limiter: createMemoryLimiter({ holdMs: HOLD_MS }), link: () => undefined }));

/** A process with a link of its own to Redis. */
function onRedis({ connection }: OpenRedis): Process {
  let link: Link = 'up';
  const listeners = new Set<Parameters<RedisConnection['onHealth']>[0]>();
  const linked: RedisConnection = {
    ...connection,
    run: async (commands, timeoutMs) => {
      const current = link;
      if (current === 'down') throw new StoreUnavailable('disconnected');
      if (current === 'lost') throw new StoreUnavailable('timeout');
      if (current === 'late') {
        // It is answered, but the caller no longer waits.
        await new Promise<void>(
          (resolve) => void connection.run(commands, timeoutMs).finally(() => setImmediate(resolve)),
        );
        throw new StoreUnavailable('timeout');
      }
      const answer = await connection.run(commands, timeoutMs);
      if (current === 'deaf') throw new StoreUnavailable('timeout');
      return answer;
    },
    onHealth: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    limiter: createRedisLimiter({ connection: linked, leaseMs: HOLD_MS, clock: 'callers', timeoutMs: 10_000 }),
    link: (next) => {
      link = next;
      for (const listener of listeners) listener(next === 'up' ? 'ready' : 'down');
    },
  };
}

describe('windows of a limiter in memory', () => {
  test('admit no more than their limit, and tokens beyond it by the excess of single requests only', () =>
    run(requests, inMemory, 500));

  test('get back what was never settled', () => run([...requests, ...losses], inMemory, 500));
});

describe.runIf(hasRedis())('windows of three processes on Redis', () => {
  test('admit no more than their limit, and tokens beyond it by the excess of single requests only', async () => {
    await using redis = await openRedis();
    await run(requests, () => new World(3, () => onRedis(redis)), 300);
  });

  test('do so whatever happens to processes and the network, and get back what was never settled', async () => {
    await using redis = await openRedis();
    await run([...requests, ...requests, ...losses, ...faults], () => new World(3, () => onRedis(redis)), 500);
  });
});
