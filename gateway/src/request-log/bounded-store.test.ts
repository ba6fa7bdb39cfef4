import { describe, expect, test } from 'vitest';
import { boundStore, type StoreBound, StoreFull } from './bounded-store.ts';
import type { LogStore, SealedBatch } from './log-store.ts';

const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;
const refused = new Error('refused');

/** A store whose days have so many bytes; the last one is the present one. */
function storeOf(days: number[], { isBounded = true } = {}) {
  const calls = { measured: 0, written: 0, feedback: 0, bounded: 0 };
  const counted = async (name: keyof typeof calls): Promise<void> => {
    calls[name] += 1;
  };
  const store: LogStore = {
    name: 'test',
    lineOf: () => '',
    write: () => counted('written'),
    writeFeedback: () => counted('feedback'),
    isTemporary: (error) => error !== refused,
    dropBefore: async () => {},
    ...(isBounded && {
      space: {
        bytes: async () => {
          await counted('measured');
          return days.reduce((sum, bytes) => sum + bytes, 0);
        },
        dropOldestDay: async () => days.length > 1 && days.shift() !== undefined,
        boundFeedback: () => counted('bounded'),
      },
    }),
    close: async () => {},
  };
  return { store, calls };
}

/** Seven eighths of 100 are for rows. */
const ROWS = 87;
const bound = (store: LogStore, given: Partial<StoreBound> = {}): LogStore =>
  boundStore(store, { maxBytes: 100, now: () => DAY_MS, onFeedbackKept: () => {}, ...given });

const batchOf = (bytes: number): SealedBatch => {
  const shared = { createdAt: DAY_MS, workspace: 'team', isTold: false, document: undefined };
  return { id: 'batch', records: [{ id: 'row', line: Buffer.alloc(bytes), ...shared }] };
};

describe('a store with a bound', () => {
  test('loses its oldest days, as many as it takes', async () => {
    const days = [40, 40, 40, 40];
    const { store, calls } = storeOf(days);
    await bound(store).write(batchOf(1));
    expect(days).toEqual([40, 40]);
    expect(calls.written).toBe(1);
  });

  test('keeps the present day, and takes nothing while that alone has more', async () => {
    const days = [40, 140];
    const { store, calls } = storeOf(days);
    const bounded = bound(store);
    await expect(bounded.write(batchOf(1))).rejects.toThrow(new StoreFull(140, ROWS));
    expect(calls).toMatchObject({ written: 0 });
    days.push(1);
    await bounded.write(batchOf(1));
    expect(days).toEqual([1]);
  });

  test('says which of its failures may pass', () => {
    const { isTemporary } = bound(storeOf([1]).store);
    expect([new StoreFull(2, 1), new Error('away'), refused].map(isTemporary)).toEqual([true, true, false]);
  });

  test('is measured after 16 MiB, and after a minute', async () => {
    let at = DAY_MS;
    const { store, calls } = storeOf([1]);
    const bounded = bound(store, { now: () => at });
    const measured = async (bytes: number): Promise<number> => {
      await bounded.write(batchOf(bytes));
      return calls.measured;
    };
    expect([await measured(1), await measured(16 * MIB), await measured(1), await measured(1)]).toEqual([1, 1, 2, 2]);
    at += 60_000;
    expect(await measured(1)).toBe(3);
  });
});

describe('feedback of a store with a bound', () => {
  const FEEDBACK = { id: 'feedback', records: [] };

  test('has an eighth, which is looked at before the first batch and after a minute', async () => {
    let at = DAY_MS;
    const { store, calls } = storeOf([1]);
    const given: number[] = [];
    const space = store.space && { ...store.space, boundFeedback: async (bytes: number) => void given.push(bytes) };
    const bounded = bound({ ...store, ...(space && { space }) }, { maxBytes: 80, now: () => at });
    await bounded.writeFeedback(FEEDBACK);
    await bounded.write(batchOf(16 * MIB));
    await bounded.write(batchOf(1));
    expect(given).toEqual([10]);
    at += 60_000;
    await bounded.write(batchOf(1));
    expect(given).toEqual([10, 10]);
    expect(calls).toMatchObject({ written: 3, feedback: 1 });
  });

  test('is written while there is no room for rows', async () => {
    const { store, calls } = storeOf([140]);
    await bound(store).writeFeedback(FEEDBACK);
    expect(calls).toMatchObject({ measured: 0, feedback: 1, bounded: 1 });
  });

  test('that cannot be deleted is told, and holds nothing up', async () => {
    let at = DAY_MS;
    const { store, calls } = storeOf([1]);
    const deletions = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let started = 0;
    const space = store.space && { ...store.space, boundFeedback: () => deletions[started++]?.promise ?? refuse() };
    const told: unknown[] = [];
    const onFeedbackKept = (error: unknown): void => void told.push(error);
    const bounded = bound({ ...store, ...(space && { space }) }, { now: () => at, onFeedbackKept });
    const writeLater = async (): Promise<void> => {
      await bounded.write(batchOf(1));
      at += 60_000;
    };
    await writeLater();
    await writeLater();
    expect([calls.written, started]).toEqual([2, 1]); // one at a time
    deletions[0]?.reject(refused);
    await expect.poll(() => told).toEqual([refused]);
    await writeLater();
    expect([calls.written, started]).toEqual([3, 2]);
    await bounded.close();
    deletions[1]?.reject(refused);
    await Promise.allSettled(deletions.map(({ promise }) => promise));
    expect(told).toEqual([refused]); // not of what the end has cut off
  });
});

const refuse = async (): Promise<void> => {
  throw refused;
};

test.for([
  { of: 'without a bound', maxBytes: undefined, isBounded: true },
  { of: 'that cannot be measured', maxBytes: 1, isBounded: false },
])('a store $of is itself', ({ maxBytes, isBounded }) => {
  const { store } = storeOf([1], { isBounded });
  expect(bound(store, { maxBytes })).toBe(store);
});
