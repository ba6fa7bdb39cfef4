import { describe, expect, test } from 'vitest';
import { createTestClock } from '../runtime/time/testing.ts';
import { createExpiries } from './expiries.ts';

const at = (expiresAt?: string) => ({
  apiVersion: 'v1',
  kind: 'ApiKey',
  metadata: { name: 'app' },
  spec: { expiresAt },
});

/** The clock starts with 2026. */
function stage() {
  const clock = createTestClock();
  return { clock, expiries: createExpiries(clock) };
}

describe('an object', () => {
  test.for([
    { rule: 'without a time never expires', object: at(), passed: false },
    { rule: 'without a spec never expires', object: { ...at(), spec: undefined }, passed: false },
    { rule: 'with a time to come has not expired', object: at('2026-01-01T00:00:01Z'), passed: false },
    { rule: 'with a time that has passed has', object: at('2025-12-31T23:59:59Z'), passed: true },
    { rule: 'expires at its very time', object: at('2026-01-01T01:00:00+01:00'), passed: true },
  ])('$rule', ({ object, passed }) => {
    expect(stage().expiries.hasPassed('a', object)).toBe(passed);
  });
});

test('that expires is reported once, at its time, unless that was moved or the object is gone', () => {
  const { clock, expiries } = stage();
  for (const [key, second] of [
    ['a', 1],
    ['b', 3],
    ['c', 3],
    ['gone', 3],
  ] as const)
    expiries.hasPassed(key, at(`2026-01-01T00:00:0${second}Z`));
  expect(expiries.takePassed()).toEqual([]);
  clock.advance(2_000);
  expect(expiries.takePassed()).toEqual(['a']);
  expect(expiries.takePassed()).toEqual([]);
  expiries.hasPassed('c', at('2026-01-01T00:00:09Z'));
  expiries.forget('gone');
  clock.advance(2_000);
  expect(expiries.takePassed()).toEqual(['b']);
  clock.advance(60_000);
  expect(expiries.takePassed()).toEqual(['c']);
});
