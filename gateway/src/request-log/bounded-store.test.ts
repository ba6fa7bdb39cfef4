import { describe, expect, test } from 'vitest';
import { boundStore, StoreFull } from './bounded-store.ts';
import type { LogStore, SealedBatch } from './log-store.ts';

const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;
const refused = new Error('refused');

/** A store whose days have so many bytes; the last one is the present one. */
function storeOf(days: number[], { isBounded = true } = {}) {
  const calls = { measured: 0, written: 0, feedback: 0 };
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
      },
    }),
    close: async () => {},
  };
  return { store, calls };
}

const batchOf = (bytes: number): SealedBatch => {
  const shared = { createdAt: DAY_MS, workspace: 'team', isTold: false, document: undefined };
  return { id: 'batch', records: [{ id: 'row', line: Buffer.alloc(bytes), ...shared }] };
};

describe('a store with a bound', () => {
  test('loses its oldest days, as many as it takes', async () => {
    const days = [40, 40, 40, 40];
    const { store, calls } = storeOf(days);
    await boundStore(store, { maxBytes: 100, now: () => DAY_MS }).write(batchOf(1));
    expect(days).toEqual([40, 40]);
    expect(calls.written).toBe(1);
  });

  test('keeps the present day, and takes nothing while that alone has more', async () => {
    const days = [40, 140];
    const { store, calls } = storeOf(days);
    const bounded = boundStore(store, { maxBytes: 100, now: () => DAY_MS });
    await expect(bounded.write(batchOf(1))).rejects.toThrow(new StoreFull(140, 100));
    await expect(bounded.writeFeedback({ id: 'feedback', records: [] })).rejects.toThrow(StoreFull);
    expect(calls).toMatchObject({ written: 0, feedback: 0 });
    days.push(1);
    await bounded.write(batchOf(1));
    expect(days).toEqual([1]);
  });

  test('says which of its failures may pass', () => {
    const { isTemporary } = boundStore(storeOf([1]).store, { maxBytes: 100, now: () => DAY_MS });
    expect([new StoreFull(2, 1), new Error('away'), refused].map(isTemporary)).toEqual([true, true, false]);
  });

  test('is measured after 16 MiB, and after a minute', async () => {
    let at = DAY_MS;
    const { store, calls } = storeOf([1]);
    const bounded = boundStore(store, { maxBytes: 100, now: () => at });
    const measured = async (bytes: number): Promise<number> => {
      await bounded.write(batchOf(bytes));
      return calls.measured;
    };
    expect([await measured(1), await measured(16 * MIB), await measured(1), await measured(1)]).toEqual([1, 1, 2, 2]);
    at += 60_000;
    expect(await measured(1)).toBe(3);
  });
});

test.for([
  { of: 'without a bound', maxBytes: undefined, isBounded: true },
  { of: 'that cannot be measured', maxBytes: 1, isBounded: false },
])('a store $of is itself', ({ maxBytes, isBounded }) => {
  const { store } = storeOf([1], { isBounded });
  expect(boundStore(store, { maxBytes, now: () => DAY_MS })).toBe(store);
});
