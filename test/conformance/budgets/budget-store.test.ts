/** What every store of budgets does, wherever its counters are. A new one is a row of VARIANTS. */
import { describe, expect, test } from 'vitest';
import {
  type BudgetLimit,
  type BudgetStore,
  createBudgets,
  createMemoryBudgetStore,
  createRedisBudgetStore,
  type SyncDone,
  type SyncReply,
  type SyncRequest,
} from '../../../gateway/src/budgets/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { memoryVariant, redisVariants } from '../stores/harness.ts';
import { throughParent } from '../through-parent.ts';

const inParent = (budgetStore: BudgetStore): BudgetStore => throughParent({ budgetStore }).budgetStore;

const VARIANTS = [
  memoryVariant((now) => createMemoryBudgetStore({ now })),
  memoryVariant((now) => inParent(createMemoryBudgetStore({ now })), 'memory of the parent'),
  ...redisVariants((connection) => createRedisBudgetStore(connection)),
];

const EVER = { startMs: 0, endMs: undefined };
const MAX = Number.MAX_SAFE_INTEGER;

let lastId = 0;
let sequence = 0;

/** A request for a counter that nobody else has. */
function requestFor(over: Partial<SyncRequest> = {}): SyncRequest {
  lastId += 1;
  return {
    id: `key/team/${lastId}|main`,
    slot: 'team',
    limit: 1_000,
    period: EVER,
    holder: 'one',
    sequence: 0,
    spentIn: 0,
    spent: 0,
    held: 0,
    more: 0,
    spare: false,
    leaseMs: 60_000,
    generation: '',
    seed: undefined,
    ...over,
  };
}

describe.for(VARIANTS.filter(({ available }) => available))('a store of budgets: $name', ({ open }) => {
  async function sync(store: BudgetStore, request: SyncRequest): Promise<SyncReply> {
    sequence += 1;
    const [reply] = await store.sync([{ ...request, sequence: request.sequence || sequence }]);
    if (reply === undefined) throw new Error('no reply');
    return reply;
  }
  async function done(store: BudgetStore, request: SyncRequest): Promise<SyncDone> {
    const reply = await sync(store, request);
    if (reply.status !== 'done') throw new Error(`the answer is ${JSON.stringify(reply)}`);
    return reply;
  }
  const nowOf = async (store: BudgetStore): Promise<number> => {
    const reply = await sync(store, requestFor({ period: { startMs: 0, endMs: 1 } }));
    if (reply.status !== 'clock') throw new Error('the time is in 1970');
    return reply.nowMs;
  };

  test('counts what each holder spent and says what all have', async () => {
    await using bench = await open();
    const counter = requestFor();
    await done(bench.store, { ...counter, spent: 30 });
    await done(bench.store, { ...counter, holder: 'two', spent: 12 });
    expect(await done(bench.store, { ...counter, spent: 40 })).toMatchObject({ total: 52, holders: 2 });
  });

  test('counts a total once, however often and late it is told', async () => {
    await using bench = await open();
    const counter = requestFor({ spent: 30 });
    for (let i = 0; i < 3; i += 1) await done(bench.store, counter);
    expect(await done(bench.store, { ...counter, spent: 20 })).toMatchObject({ total: 30 });
  });

  test('takes no older request after a newer one', async () => {
    await using bench = await open();
    const counter = requestFor();
    await done(bench.store, { ...counter, sequence: 1_000_002, spent: 30, held: 10 });
    const older = await sync(bench.store, { ...counter, sequence: 1_000_001, spent: 20, held: 500, more: 100 });
    expect(older).toMatchObject({ status: 'failed', isApplied: false });
    expect(await done(bench.store, { ...counter, holder: 'two', more: 1 })).toMatchObject({
      total: 30,
      heldByOthers: 10,
    });
  });

  test('grants what is needed, and no more than is left', async () => {
    await using bench = await open();
    const counter = requestFor();
    expect(await done(bench.store, { ...counter, more: 700 })).toMatchObject({ held: 700 });
    expect(await done(bench.store, { ...counter, holder: 'two', more: 700 })).toMatchObject({ held: 300 });
    expect(await done(bench.store, { ...counter, holder: 'three', more: 1 })).toMatchObject({ held: 0 });
  });

  test('grants more than is needed while much is left, and less of it to many holders', async () => {
    await using bench = await open();
    const counter = requestFor({ limit: 8_001, more: 1, spare: true });
    expect(await done(bench.store, counter)).toMatchObject({ held: 1_001 });
    expect(await done(bench.store, { ...counter, holder: 'two' })).toMatchObject({ held: 1 + Math.floor(6_999 / 16) });
  });

  test('grants exactly what is needed near the end', async () => {
    await using bench = await open();
    const counter = requestFor({ limit: 1_000, spent: 500, more: 100, spare: true });
    expect(await done(bench.store, counter)).toMatchObject({ held: 100 });
  });

  test('lets a holder keep what it holds, as far as the limit allows', async () => {
    await using bench = await open();
    const counter = requestFor();
    await done(bench.store, { ...counter, more: 600 });
    expect(await done(bench.store, { ...counter, spent: 200, held: 400 })).toMatchObject({ total: 200, held: 400 });
    expect(await done(bench.store, { ...counter, spent: 200, held: 400, limit: 300 })).toMatchObject({ held: 100 });
    expect(await done(bench.store, { ...counter, spent: 200, held: 400, limit: 100 })).toMatchObject({ held: 0 });
  });

  test('counts what was spent beyond the limit', async () => {
    await using bench = await open();
    const counter = requestFor({ spent: 5_000, more: 1 });
    expect(await done(bench.store, counter)).toMatchObject({ total: 5_000, held: 0 });
  });

  test('takes back the part of a holder that it no longer hears of, and never its total', async () => {
    await using bench = await open();
    const counter = requestFor();
    await done(bench.store, { ...counter, spent: 300, held: 0, more: 500 });
    expect(await done(bench.store, { ...counter, holder: 'two', more: 700 })).toMatchObject({ held: 200, holders: 2 });
    expect(await done(bench.store, { ...counter, spent: 300, held: 500, leaseMs: 100 })).toMatchObject({ held: 500 });
    await bench.outlive(0.2);
    expect(await done(bench.store, { ...counter, holder: 'two', held: 200, more: 700 })).toMatchObject({
      total: 300,
      held: 700,
      heldByOthers: 0,
      holders: 1,
    });
  });

  test('grants a holder whose lease has ended what others have left', async () => {
    await using bench = await open();
    const counter = requestFor();
    await done(bench.store, { ...counter, more: 1_000, leaseMs: 100 });
    await bench.outlive(0.2);
    await done(bench.store, { ...counter, holder: 'two', more: 900 });
    expect(await done(bench.store, { ...counter, spent: 50, held: 950 })).toMatchObject({ total: 50, held: 50 });
  });

  test('takes back everything at once from a holder that ends', async () => {
    await using bench = await open();
    const counter = requestFor();
    await done(bench.store, { ...counter, more: 1_000 });
    expect(await done(bench.store, { ...counter, spent: 10, held: 990, leaseMs: 0 })).toMatchObject({ held: 0 });
    expect(await done(bench.store, { ...counter, holder: 'two', more: 990 })).toMatchObject({ held: 990, holders: 1 });
  });

  test('changes nothing for a period that does not contain its time', async () => {
    await using bench = await open();
    const counter = requestFor({ spent: 10 });
    const nowMs = await nowOf(bench.store);
    const early = await sync(bench.store, { ...counter, period: { startMs: nowMs + 3_600_000, endMs: undefined } });
    expect(early.status).toBe('clock');
    expect(await done(bench.store, { ...counter, spent: 0 })).toMatchObject({ total: 0 });
  });

  test('begins anew with a later period, and drops what belongs to an earlier one', async () => {
    await using bench = await open();
    const counter = requestFor();
    const startMs = (await nowOf(bench.store)) - 60_000;
    const later = { ...counter, period: { startMs, endMs: startMs + 3_600_000 } };
    const first = await done(bench.store, { ...counter, spent: 900, more: 100 });
    expect(await done(bench.store, { ...later, holder: 'two', spentIn: -1, more: 400 })).toMatchObject({
      periodStartMs: startMs,
      generation: first.generation,
      total: 0,
      held: 400,
    });
    const late = { ...later, spentIn: 0, spent: 950, held: 50, more: 10, generation: first.generation };
    expect(await done(bench.store, late)).toMatchObject({ total: 0, held: 10 });
  });

  test('never goes back to an earlier period', async () => {
    await using bench = await open();
    const counter = requestFor();
    const startMs = (await nowOf(bench.store)) - 60_000;
    await done(bench.store, { ...counter, period: { startMs, endMs: undefined }, spentIn: startMs, spent: 0 });
    await done(bench.store, { ...counter, period: { startMs, endMs: undefined }, spentIn: startMs, spent: 70 });
    expect(await done(bench.store, { ...counter, holder: 'two', spent: 5 })).toMatchObject({
      periodStartMs: startMs,
      total: 70,
    });
  });

  test('raises a counter that it has lost to the largest total that is known, once', async () => {
    await using bench = await open();
    const counter = requestFor({ spent: 7, generation: 'lost' });
    const seed = (total: number) => ({ generation: 'lost', periodStartMs: 0, total });
    const reply = await sync(bench.store, { ...counter, seed: seed(500) });
    if (reply.status !== 'generation') throw new Error(`the answer is ${JSON.stringify(reply)}`);
    const { generation } = reply;
    expect(generation).not.toBe('lost');
    await done(bench.store, { ...counter, generation, spent: 7 });
    await sync(bench.store, { ...counter, holder: 'two', seed: seed(520) });
    await sync(bench.store, { ...counter, holder: 'two', seed: seed(400) });
    expect(await done(bench.store, { ...counter, holder: 'two', generation, spent: 3 })).toMatchObject({ total: 530 });
  });

  test('takes no seed of its own generation or of another period', async () => {
    await using bench = await open();
    const counter = requestFor();
    const { generation } = await done(bench.store, counter);
    for (const seed of [
      { generation, periodStartMs: 0, total: 500 },
      { generation: 'lost', periodStartMs: 1, total: 500 },
    ]) {
      expect(await done(bench.store, { ...counter, seed })).toMatchObject({ total: 0 });
    }
  });

  test('answers many counters in order, also those of several workspaces', async () => {
    await using bench = await open();
    const requests = Array.from({ length: 500 }, (_, i) =>
      requestFor({ slot: i % 3 === 0 ? '' : `team-${i % 3}`, sequence: 1, spent: i }),
    );
    const replies = await bench.store.sync(requests);
    expect(replies.map((reply) => reply.status === 'done' && reply.total)).toEqual(requests.map(({ spent }) => spent));
  });

  test('lets processes admit as many requests as a budget of requests has, and no more', async () => {
    await using bench = await open();
    const budget: BudgetLimit = {
      id: 'key/team/requests|requests|calls',
      name: 'calls',
      slot: 'team',
      owner: { kind: 'key', id: 'key/team/requests', slug: 'requests' },
      type: 'requests',
      limit: 100,
      schedule: {},
    };
    const processes = Array.from({ length: 3 }, () => createBudgets({ store: bench.store, processes: 3 }));
    const nowMs = await nowOf(bench.store);
    const results = await Promise.all(
      Array.from({ length: 300 }, (_, i) => processes[i % 3]?.reserve([{ budget, estimate: 1 }], nowMs)),
    );
    for (const result of results) if (result?.allowed) result.settle([1]);
    let admitted = results.filter((result) => result?.allowed).length;
    expect(admitted).toBeLessThanOrEqual(100);
    await waitFor(
      async () => {
        const more = await Promise.all(processes.map((budgets) => budgets.reserve([{ budget, estimate: 1 }], nowMs)));
        for (const result of more) if (result.allowed) result.settle([1]);
        admitted += more.filter(({ allowed }) => allowed).length;
        return more.every((result) => !result.allowed && result.reason === 'exhausted');
      },
      { what: 'the budget is used up for all processes' },
    );
    expect(admitted).toBe(100);
  });

  test('counts exactly up to 2^53 - 1, and stays there', async () => {
    await using bench = await open();
    const counter = requestFor({ limit: MAX });
    await done(bench.store, { ...counter, spent: MAX - 2 });
    expect(await done(bench.store, { ...counter, holder: 'two', more: 10 })).toMatchObject({ total: MAX - 2, held: 2 });
    expect(await done(bench.store, { ...counter, holder: 'two', spent: 1 })).toMatchObject({ total: MAX - 1 });
    expect(await done(bench.store, { ...counter, holder: 'two', spent: 10 })).toMatchObject({ total: MAX });
  });

  test('keeps counters apart whose ids hold what a key could be made of', async () => {
    await using bench = await open();
    const ids = ['a{b}c', 'a{b}', 'a b', 'a\nb', 'a:b', '{', 'ä', '*', ''].map((id) => `policy|${id}`);
    for (const [i, id] of ids.entries()) await done(bench.store, requestFor({ id, spent: i + 1 }));
    const totals = [];
    for (const id of ids) totals.push((await done(bench.store, requestFor({ id }))).total);
    expect(totals).toEqual(ids.map((_, i) => i + 1));
  });
});
