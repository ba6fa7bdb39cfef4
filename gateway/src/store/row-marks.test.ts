import { expect, test } from 'vitest';
import { createMemoryStateStore } from './memory/index.ts';
import { createRowMarks } from './row-marks.ts';
import { createStoreBreaker } from './store-breaker.ts';

const DAY_MS = 86_400_000;

test('marks are kept as long as the output of a batch', async () => {
  let nowMs = 1;
  const states = createMemoryStateStore({ now: () => nowMs });
  const marks = createRowMarks({ states, storeBreaker: createStoreBreaker({ onError: () => undefined }) });
  expect(await marks.read('a')).toBe(0);
  expect(await marks.claim('a', { before: 0, rows: 7 })).toBe(true);
  expect([await marks.read('a'), await marks.read('b')]).toEqual([7, 0]);
  nowMs = 31 * DAY_MS;
  expect(await marks.read('a')).toBe(0);
});

test.for(['x', '-1', '1e3', ''])('a text that is no mark counts as none: %j', async (text) => {
  const states = createMemoryStateStore({ now: () => 0 });
  await states.set('batch-rows:a', text, 10);
  const marks = createRowMarks({ states, storeBreaker: createStoreBreaker({ onError: () => undefined }) });
  expect(await marks.read('a')).toBe(0);
});

test('a store that is away knows none, and fails nothing', async () => {
  const errors: unknown[] = [];
  const away = () => Promise.reject(new Error('away'));
  const storeBreaker = createStoreBreaker({ onError: (error) => void errors.push(error) });
  const marks = createRowMarks({ states: { get: away, set: away, delete: away }, storeBreaker });
  expect(await marks.read('a')).toBe(0);
  expect(await marks.claim('a', { before: 0, rows: 1 })).toBe(true);
  expect(errors.length).toBeGreaterThan(0);
});
