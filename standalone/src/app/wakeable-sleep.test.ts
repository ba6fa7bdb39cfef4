import { expect, test } from 'vitest';
import { createWakeableSleep } from './wakeable-sleep.ts';

const never = new AbortController().signal;
const LONG_MS = 60_000;

test('a wait ends when it is woken', async () => {
  const sleep = createWakeableSleep();
  const waiting = sleep.wait(LONG_MS, never);
  sleep.wake();
  expect(await waiting).toBe(true);
  expect(await sleep.wait(1, never)).toBe(false);
});

test('waking before the wait ends it at once, however often', async () => {
  const sleep = createWakeableSleep();
  sleep.wake();
  sleep.wake();
  expect(await sleep.wait(LONG_MS, never)).toBe(true);
  expect(await sleep.wait(1, never)).toBe(false);
});

test('a wait ends with its signal, also one that has ended before', async () => {
  const closing = new AbortController();
  const waiting = createWakeableSleep().wait(LONG_MS, closing.signal);
  closing.abort();
  expect(await waiting).toBe(false);
  expect(await createWakeableSleep().wait(LONG_MS, closing.signal)).toBe(false);
});
