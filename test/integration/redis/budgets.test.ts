/** Processes that share budgets through a real Redis, which stops, restarts and comes back empty. */
import { describe, expect, test } from 'vitest';
import {
  type BudgetLimit,
  type Budgets,
  type BudgetsOptions,
  createBudgets,
  createRedisBudgetStore,
} from '../../../gateway/src/budgets/index.ts';
import { createRedisConnection, parseRedisUrl } from '../../../gateway/src/store/index.ts';
import { unwrap } from '../../kit/index.ts';
import { type RedisServer, startRedis } from '../../kit/redis.ts';
import { waitFor } from '../../kit/wait-for.ts';

const NANO = 1_000_000_000;

const budgetOf = (limit: number): BudgetLimit => ({
  id: 'key/team-a/app|main',
  name: 'main',
  slot: 'team-a',
  owner: { kind: 'key', id: 'key/team-a/app', slug: 'app' },
  type: 'cost',
  limit,
  schedule: { reset: { period: 'monthly' } },
});

interface Pod extends AsyncDisposable {
  readonly budgets: Budgets;
  /** What it spent, as its records say. */
  spent: number;
  /** Like SIGKILL: Redis never hears of it again. */
  kill(): Promise<void>;
}

async function startPod(redis: Pick<RedisServer, 'url'>, options: Partial<BudgetsOptions> = {}): Promise<Pod> {
  const connection = createRedisConnection({
    ...unwrap(parseRedisUrl(redis.url)),
    mode: 'standalone',
    commandTimeoutMs: 30_000, // far above the default: these machines are busy with tests
  });
  connection.connect();
  await waitFor(() => connection.health() === 'ready');
  const budgets = createBudgets({ store: createRedisBudgetStore(connection), flushMs: 20, ...options });
  return {
    budgets,
    spent: 0,
    kill: () => connection.close(),
    [Symbol.asyncDispose]: async () => {
      await budgets.close();
      await connection.close();
    },
  };
}

/** Whether it was admitted. */
async function spend(pod: Pod, budget: BudgetLimit, estimate: number, actual = estimate): Promise<boolean> {
  const result = await pod.budgets.reserve([{ budget, estimate }], Date.now());
  if (!result.allowed) return false;
  result.settle([actual]);
  pod.spent += actual;
  return true;
}

/** What the store has counted, as a process sees it that has just started. */
async function totalIn(redis: RedisServer, budget: BudgetLimit): Promise<number> {
  await using pod = await startPod(redis);
  (await pod.budgets.reserve([{ budget, estimate: 1 }], Date.now())).allowed;
  return pod.budgets.usage()[0]?.used ?? 0;
}

const sumOf = (pods: readonly Pod[]): number => pods.reduce((sum, { spent }) => sum + spent, 0);

describe('budgets in Redis', () => {
  test('of ten requests admit ten of 200 that arrive at once at four processes', async () => {
    await using redis = await startRedis();
    const pods = await Promise.all(Array.from({ length: 4 }, () => startPod(redis)));
    const budget = budgetOf(10 * NANO);
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, i) => pods[i % 4]?.budgets.reserve([{ budget, estimate: NANO }], Date.now())),
    );
    const admitted = results.filter((result) => result?.allowed === true);
    expect(admitted).toHaveLength(10);
    for (const result of admitted) if (result?.allowed === true) result.settle([1.1 * NANO]);
    for (const pod of pods) await pod[Symbol.asyncDispose]();
    expect(await totalIn(redis, budget)).toBe(11 * NANO);
  });

  test('are spent to the last unit by many small requests, and not beyond', async () => {
    await using redis = await startRedis();
    const pods = await Promise.all(Array.from({ length: 4 }, () => startPod(redis)));
    const budget = budgetOf(2_000);
    await Promise.all(
      pods.map(async (pod) => {
        for (let i = 0; i < 1_000; i += 1) await spend(pod, budget, 1);
      }),
    );
    await waitFor(
      async () => {
        for (const pod of pods) await spend(pod, budget, 1);
        return sumOf(pods) === 2_000;
      },
      { what: 'everything is spent' },
    );
    for (const pod of pods) expect(await spend(pod, budget, 1)).toBe(false);
    for (const pod of pods) await pod[Symbol.asyncDispose]();
    expect(await totalIn(redis, budget)).toBe(2_000);
  });

  test('get back the part of a process that was killed when its lease ends', async () => {
    await using redis = await startRedis();
    await using living = await startPod(redis);
    const killed = await startPod(redis, { leaseMs: 2_500 });
    const budget = budgetOf(1_000);
    expect((await killed.budgets.reserve([{ budget, estimate: 1_000 }], Date.now())).allowed).toBe(true);
    expect(await spend(living, budget, 1)).toBe(false);
    await killed.kill();
    await waitFor(() => spend(living, budget, 1_000), { what: 'the part of the killed process' });
  });

  test('get back the part of a process that drains at once', async () => {
    await using redis = await startRedis();
    await using staying = await startPod(redis, { flushMs: 60_000 });
    const draining = await startPod(redis, { flushMs: 60_000 });
    const budget = budgetOf(1_000);
    await spend(draining, budget, 10);
    await draining[Symbol.asyncDispose]();
    const result = await staying.budgets.reserve([{ budget, estimate: 5_000 }], Date.now());
    if (!result.allowed) throw new Error('denied');
    result.settle([990]);
    expect(staying.budgets.usage()).toMatchObject([{ used: 1_000, exhausted: true }]);
  });

  test('lose nothing of living processes when Redis is killed and restarted under load', async () => {
    await using redis = await startRedis({ settings: { appendonly: 'yes' } });
    const pods = await Promise.all(Array.from({ length: 4 }, () => startPod(redis)));
    const budget = budgetOf(1_000 * NANO);
    let running = true;
    const load = pods.map(async (pod) => {
      while (running) {
        await spend(pod, budget, 1_000 + (pod.spent % 7));
        await new Promise(setImmediate);
      }
    });
    const more = async (): Promise<void> => {
      const before = sumOf(pods);
      await waitFor(() => sumOf(pods) > before + 500_000);
    };
    await more();
    await redis.stop();
    await more();
    await redis.start();
    await more();
    running = false;
    await Promise.all(load);
    const spent = sumOf(pods);
    await waitFor(async () => (await totalIn(redis, budget)) === spent, { what: 'the total of all records' });
    for (const pod of pods) await pod[Symbol.asyncDispose]();
    expect(await totalIn(redis, budget)).toBe(spent);
  });

  test('go on from what the processes know when Redis comes back empty', async () => {
    await using redis = await startRedis();
    const pods = await Promise.all(Array.from({ length: 4 }, () => startPod(redis)));
    const budget = budgetOf(1_000 * NANO);
    for (let i = 0; i < 100; i += 1) for (const pod of pods) await spend(pod, budget, 1_000);
    const before = sumOf(pods);
    await waitFor(async () => (await totalIn(redis, budget)) === before);
    await waitFor(() => pods.every(({ budgets }) => budgets.usage()[0]?.used === before));
    await redis.stop();
    for (const pod of pods) await spend(pod, budget, 500);
    await redis.start();
    await waitFor(
      async () => {
        for (const pod of pods) await spend(pod, budget, 1);
        return (await totalIn(redis, budget)) === sumOf(pods);
      },
      { what: 'the total of all records' },
    );
    for (const pod of pods) await pod[Symbol.asyncDispose]();
    expect(await totalIn(redis, budget)).toBe(sumOf(pods));
  });
});
