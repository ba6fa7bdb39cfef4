import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BatchQueue, type BatchQueueOptions } from './batch-queue.ts';
import { RowsRefused, type SealedBatch, type WaitingRecord } from './log-store.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const AWAY = new Error('away');
const REFUSED = new Error('refused');

/** The queue looks at nothing of a record but its size. */
const recordOf = (id: string): WaitingRecord => ({
  ...{ id, createdAt: 0, workspace: 'team-a', isTold: false, line: Buffer.alloc(0), document: undefined },
});

function setup(over: Partial<BatchQueueOptions> = {}, write: (batch: SealedBatch) => Promise<void> = async () => {}) {
  const written: string[] = [];
  const batches: SealedBatch[] = [];
  const dropped: [records: number, reason: string, error: unknown][] = [];
  let retries = 0;
  const queue = new BatchQueue({
    store: {
      write: async (batch) => {
        batches.push(batch);
        await write(batch);
        written.push(...batch.records.map(({ id }) => id));
      },
      isTemporary: (error) => error !== REFUSED,
    },
    sizeOf: () => 1,
    maxBytes: 100,
    batch: { records: 3, bytes: 100, delayMs: 1_000 },
    retryMs: [100, 400],
    onWritten: () => {},
    onDropped: (records, reason, error) => dropped.push([records, reason, error]),
    onRetry: () => {
      retries += 1;
    },
    ...over,
  });
  const add = (...ids: string[]): void => {
    for (const id of ids) queue.add(recordOf(id));
  };
  return { queue, add, written, batches, dropped, retries: () => retries };
}

test('a batch is written when it is full, and after a while when it is not', async () => {
  const { queue, add, batches } = setup();
  add('a', 'b', 'c', 'd');
  await vi.advanceTimersByTimeAsync(0);
  expect(batches.map(({ records }) => records.length)).toEqual([3]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(batches.map(({ records }) => records.length)).toEqual([3, 1]);
  expect(queue.bytes).toBe(0);
});

test('a batch that is tried again is the same one, after longer and longer waits', async () => {
  let isAway = true;
  const { add, batches, written, retries } = setup({}, async () => {
    if (isAway) throw AWAY;
  });
  add('a', 'b', 'c');
  await vi.advanceTimersByTimeAsync(99);
  expect(batches).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1 + 200 + 400 + 400);
  expect(batches).toHaveLength(5);
  expect(new Set(batches).size).toBe(1);
  add('d', 'e', 'f');
  isAway = false;
  await vi.advanceTimersByTimeAsync(400);
  expect(written).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(retries()).toBe(5);
});

test('tells how long the oldest record has waited, also while it is tried again', async () => {
  let isAway = true;
  const { queue, add } = setup({}, async () => {
    if (isAway) throw AWAY;
  });
  expect(queue.oldestMs).toBe(0);
  add('a');
  await vi.advanceTimersByTimeAsync(500);
  add('b');
  expect(queue.oldestMs).toBe(500);
  await vi.advanceTimersByTimeAsync(59_500);
  add('c');
  expect(queue.oldestMs).toBe(60_000);
  isAway = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(queue.oldestMs).toBe(0);
});

test('of what is refused only the records go because of which it is', async () => {
  const { add, written, dropped } = setup(
    { batch: { records: 7, bytes: 100, delayMs: 1_000 } },
    async ({ records }) => {
      if (records.some(({ id }) => id.startsWith('bad'))) throw REFUSED;
    },
  );
  add('a', 'bad1', 'b', 'c', 'd', 'e', 'bad2', 'f');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(dropped).toEqual([
    [1, 'refused', REFUSED],
    [1, 'refused', REFUSED],
  ]);
});

test('of too much the oldest batches go, also the one that is being written', async () => {
  const { queue, add, dropped, written } = setup({ maxBytes: 6 }, () => new Promise(() => {}));
  add('a', 'b', 'c', 'd', 'e', 'f');
  expect(dropped).toEqual([]);
  add('g');
  expect(dropped).toEqual([[3, 'queue_full', undefined]]);
  add('h', 'i', 'j');
  expect(dropped).toEqual([
    [3, 'queue_full', undefined],
    [3, 'queue_full', undefined],
  ]);
  expect(queue.bytes).toBe(4);
  expect(written).toEqual([]);
});

test('a record that is larger than all the room is dropped', async () => {
  const { queue, add, dropped } = setup({ sizeOf: () => 101 });
  add('a');
  expect(dropped).toEqual([[1, 'queue_full', undefined]]);
  expect(queue.bytes).toBe(0);
});

test('closing writes what waits', async () => {
  const { queue, add, written, dropped } = setup();
  add('a', 'b', 'c', 'd');
  await queue.close(1_000);
  expect(written).toEqual(['a', 'b', 'c', 'd']);
  add('late');
  expect(dropped).toEqual([[1, 'shutdown', undefined]]);
});

test('closing ends in time while the store is away, and tells how many are lost', async () => {
  const { queue, add, dropped } = setup({}, async () => {
    throw AWAY;
  });
  add('a', 'b', 'c', 'd');
  const closed = queue.close(1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  await closed;
  expect(dropped).toEqual([[4, 'shutdown', undefined]]);
  expect(queue.bytes).toBe(0);
});

test('closing ends in time while the store hangs', async () => {
  const { queue, add, dropped } = setup({}, () => new Promise(() => {}));
  add('a');
  const closed = queue.close(1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  await closed;
  expect(dropped).toEqual([[1, 'shutdown', undefined]]);
});

test('every record is written or dropped, and never more waits than there is room for', async () => {
  vi.useRealTimers();
  const failures = fc.constantFrom('good', 'away', 'refused');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(30), { maxLength: 40 }), fc.array(failures), async (sizes, outcomes) => {
      const left = [...outcomes];
      let dropped = 0;
      let kept = 0;
      const { queue, written } = setup(
        {
          sizeOf: ({ id }) => Number(id.split('-')[1]),
          batch: { records: 4, bytes: 50, delayMs: 1 },
          retryMs: [0, 0],
          onWritten: (records) => {
            kept += records;
          },
          onDropped: (records) => {
            dropped += records;
          },
        },
        async () => {
          const outcome = left.shift();
          if (outcome === 'away') throw AWAY;
          if (outcome === 'refused') throw REFUSED;
        },
      );
      for (const [i, size] of sizes.entries()) {
        queue.add(recordOf(`${i}-${size}`));
        expect(queue.bytes).toBeLessThanOrEqual(100);
        if (size % 3 === 0) await Promise.resolve();
      }
      await queue.close(5_000);
      expect(kept + dropped).toBe(sizes.length);
      expect(written.length).toBeGreaterThanOrEqual(kept);
      expect(new Set(written).size).toBe(written.length);
    }),
    { numRuns: 200 },
  );
});

test('a store that refuses some rows of a batch has the others, and the batch is not tried again', async () => {
  let written = 0;
  const { queue, add, batches, dropped } = setup({ onWritten: (rows) => (written += rows) }, async () => {
    throw new RowsRefused(2, 'not of this workspace');
  });
  add('a', 'b', 'c');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(batches).toHaveLength(1);
  expect(written).toBe(1);
  expect(dropped).toEqual([[2, 'refused', expect.any(RowsRefused)]]);
  expect(queue.bytes).toBe(0);
});

test('where there is no room, what is on its way to the store is not dropped', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let first: Promise<void> | undefined = promise;
  const { queue, add, written, dropped } = setup({ maxBytes: 7 }, async () => {
    const wait = first;
    first = undefined;
    await wait;
  });
  add('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i');
  expect(dropped).toEqual([[3, 'queue_full', undefined]]);
  resolve();
  await queue.close(0);
  expect(written).toEqual(['a', 'b', 'c', 'g', 'h', 'i']);
});
