import { describe, expect, test } from 'vitest';
import { createTestClock, flush } from '../time/testing.ts';
import { createPace } from './pace.ts';

const MAX_AT_ONCE = 8;

/** Callers that always have another call, and a server whose answers take `latencyMs(calls under way)`. */
function drive(latencyMs: (underWay: number) => number) {
  const clock = createTestClock();
  const pace = createPace({ maxAtOnce: MAX_AT_ONCE, clock });
  const stop = new AbortController();
  const { signal } = stop;
  const refusals: number[] = [];
  let failing: (call: number) => boolean = () => false;
  let calls = 0;
  let underWay = 0;
  let [most, begun] = [0, 0];
  const call = async (): Promise<void> => {
    using turn = await pace.turn(signal);
    underWay += 1;
    begun += 1;
    most = Math.max(most, underWay);
    const ms = latencyMs(underWay);
    await new Promise<void>((resolve) => clock.schedule(ms, resolve));
    underWay -= 1;
    const waitMs = refusals.pop();
    calls += 1;
    if (failing(calls)) turn.failed();
    else if (waitMs === undefined) turn.answered(ms, { busy: true });
    else turn.refused(waitMs);
  };
  const caller = async (): Promise<void> => {
    while (!signal.aborted) await call().catch(() => undefined);
  };
  for (let i = 0; i < MAX_AT_ONCE; i += 1) void caller();
  /** How many calls began, and how many were under way at once. */
  const run = async (ms: number): Promise<{ readonly begun: number; readonly most: number }> => {
    [most, begun] = [underWay, 0];
    for (let i = 0; i < ms; i += 1) {
      await flush();
      clock.advance(1);
    }
    await flush();
    return { begun, most };
  };
  return {
    run,
    refuse: (...waits: readonly number[]) => refusals.push(...waits),
    fail: (which: (call: number) => boolean): void => {
      failing = which;
    },
    stop,
  };
}

describe('the pace of calls', () => {
  test('begins with single calls', async () => {
    const { run } = drive(() => 4);
    expect(await run(60)).toMatchObject({ most: 1 });
  });

  test('reaches its bound while the server answers as fast as when it is nearly idle', async () => {
    const { run } = drive(() => 4);
    expect(await run(2_000)).toMatchObject({ most: MAX_AT_ONCE });
  });

  test('stays where answers slow down with each further call', async () => {
    const { run } = drive((underWay) => 4 * underWay);
    await run(2_000);
    const { most } = await run(2_000);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThan(MAX_AT_ONCE);
  });

  test('falls back to few calls when the server slows down', async () => {
    let ms = 4;
    const { run } = drive(() => ms);
    await run(2_000);
    ms = 40;
    await run(4_000);
    expect((await run(1_000)).most).toBe(1);
  });

  test('measures again what an answer of a slower server takes', async () => {
    let ms = 4;
    const { run } = drive(() => ms);
    await run(2_000);
    ms = 40;
    await run(40_000);
    expect((await run(1_000)).most).toBeGreaterThan(1);
  });

  test('makes single calls to a server that is slow even so', async () => {
    const { run } = drive(() => 300);
    await run(60_000);
    expect((await run(10_000)).most).toBe(1);
  });

  test('begins no call while the server asks to wait, and half as many afterwards', async () => {
    const { run, refuse } = drive(() => 4);
    await run(2_000);
    refuse(1_000, 1_000);
    await run(20);
    expect(await run(900)).toMatchObject({ begun: 0 });
    expect(await run(90)).toMatchObject({ most: MAX_AT_ONCE / 2 });
  });

  test('waits for a minute at most, whatever the server asks', async () => {
    const { run, refuse } = drive(() => 4);
    await run(20);
    refuse(86_400_000);
    await run(20);
    expect(await run(59_000)).toMatchObject({ begun: 0 });
    expect((await run(2_000)).begun).toBeGreaterThan(100);
  });

  test('goes on while some calls fail, and slows down when all do', async () => {
    const { run, fail } = drive(() => 4);
    await run(2_000);
    const { begun } = await run(1_000);
    fail((call) => call % 2 === 0);
    expect((await run(1_000)).begun).toBeGreaterThan(begun * 0.9);
    fail(() => true);
    expect((await run(1_000)).begun).toBeLessThan(begun * 0.1);
  });

  test('ends with its signal', async () => {
    const pace = createPace({ maxAtOnce: MAX_AT_ONCE, clock: createTestClock() });
    using _turn = await pace.turn(new AbortController().signal);
    const stop = new AbortController();
    const next = pace.turn(stop.signal);
    stop.abort(new Error('over'));
    await expect(next).rejects.toThrow('over');
  });
});
