/** How fast an effect is everywhere, and what is printed of it. */
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from './load/index.ts';

const LOOK_EVERY_MS = 20;
/** What docs/performance.md promises of a change, in ms: printed, not asserted. */
export const EFFECT_GOAL_MS = 1_000;
const EFFECT_DEADLINE_MS = 120_000;

/** In ms from the call, when each of them shows the effect. */
export async function timesUntil<T>(
  places: readonly T[],
  shows: (place: T) => Promise<boolean>,
): Promise<readonly number[]> {
  const startedAt = performance.now();
  const passed = (): number => performance.now() - startedAt;
  return Promise.all(
    places.map(async (place) => {
      while (!(await shows(place))) {
        if (passed() > EFFECT_DEADLINE_MS) throw new Error(`No effect after ${EFFECT_DEADLINE_MS} ms`);
        await pause(LOOK_EVERY_MS);
      }
      return passed();
    }),
  );
}

/** Prints percentiles of times in ms beside their goal. */
export function say(what: string, timesMs: readonly number[], goalMs: number): void {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const shown = [0.5, 0.99, 1].map((share) => Math.round(quantile(sorted, share)));
  console.log(`${what}: p50 ${shown[0]} ms, p99 ${shown[1]} ms, max ${shown[2]} ms (goal ${goalMs} ms)`);
}
