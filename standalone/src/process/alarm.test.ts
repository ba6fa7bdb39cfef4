import { expect, test } from 'vitest';
import { createAlarm } from './alarm.ts';

const never = new AbortController().signal;
const LONG_MS = 60_000;

test('a wait ends with the ring', async () => {
  const alarm = createAlarm();
  const waiting = alarm.wait(LONG_MS, never);
  alarm.ring();
  expect(await waiting).toBe(true);
  expect(await alarm.wait(1, never)).toBe(false);
});

test('a ring before the wait ends it at once, however often it rang', async () => {
  const alarm = createAlarm();
  alarm.ring();
  alarm.ring();
  expect(await alarm.wait(LONG_MS, never)).toBe(true);
  expect(await alarm.wait(1, never)).toBe(false);
});

test('a wait ends with its signal, also one that has ended before', async () => {
  const closing = new AbortController();
  const waiting = createAlarm().wait(LONG_MS, closing.signal);
  closing.abort();
  expect(await waiting).toBe(false);
  expect(await createAlarm().wait(LONG_MS, closing.signal)).toBe(false);
});
