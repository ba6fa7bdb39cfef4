import { describe, expect, test } from 'vitest';
import { createCoalescer } from './coalescer.ts';
import { createTestClock, flush } from './testing.ts';

/** A coalescer whose runs take the given time; `starts` are the times at which they began, in ms. */
function start(runMs = 0) {
  const clock = createTestClock();
  const starts: number[] = [];
  const coalescer = createCoalescer({
    clock,
    run: () => {
      starts.push(clock.monotonicMs());
      return new Promise((resolve) => {
        if (runMs === 0) resolve();
        else clock.schedule(runMs, resolve);
      });
    },
  });
  /** Lets time pass by steps, with a change at some of them. */
  const play = async (untilMs: number, isChange: (ms: number) => boolean): Promise<void> => {
    for (let ms = clock.monotonicMs(); ms <= untilMs; ms += 10) {
      if (isChange(ms)) coalescer.trigger();
      await flush();
      clock.advance(10);
      await flush();
    }
  };
  return { coalescer, starts, play };
}

describe('changes', () => {
  test.for<{ rule: string; changes: readonly number[]; runMs?: number; starts: readonly number[] }>([
    { rule: 'run at once when it was quiet', changes: [0], starts: [0] },
    { rule: 'run at once again after a pause', changes: [0, 200], starts: [0, 200] },
    { rule: 'soon after a run wait for quiet', changes: [0, 20], starts: [0, 50] },
    { rule: 'that come together run together', changes: [0, 20, 30, 40], starts: [0, 90] },
    { rule: 'during a run make one more', changes: [0, 10, 20], runMs: 100, starts: [0, 150] },
  ])('$rule', async ({ changes, runMs, starts: wanted }) => {
    const { starts, play } = start(runMs);
    await play(1_000, (ms) => changes.includes(ms));
    expect(starts).toEqual(wanted);
  });

  test('that never stop run twice a second', async () => {
    const { starts, play } = start();
    await play(2_100, () => true);
    expect(starts.length).toBeGreaterThanOrEqual(4);
    expect(Math.max(...starts.slice(1).map((ms, i) => ms - (starts[i] ?? 0)))).toBeLessThanOrEqual(520);
  });

  test('make no run after the end, and a run that fails ends nothing', async () => {
    const clock = createTestClock();
    let runs = 0;
    const run = (): Promise<void> => {
      runs += 1;
      return Promise.reject(new Error('boom'));
    };
    const coalescer = createCoalescer({ clock, run });
    coalescer.trigger();
    await flush();
    clock.advance(100);
    coalescer.trigger();
    await flush();
    coalescer.trigger();
    await coalescer.close();
    clock.advance(1_000);
    coalescer.trigger();
    expect(runs).toBe(2);
  });
});
