import { type Demand, isCount } from '../limiter.ts';
import type { Grant } from './calls.ts';
import { keyOf } from './counters.ts';
import type { Taken } from './holds.ts';

/** What one counter has of a reservation, and the positions of the demands that share it. */
export interface TakenByDemands extends Taken {
  readonly demands: readonly number[];
}

/** By counter: the largest cost among the demands that share it. */
export function takenBy(demands: readonly Demand[], grants: readonly Grant[]): readonly TakenByDemands[] {
  const byCounter = new Map<string, TakenByDemands>();
  demands.forEach((counter, i) => {
    if (counter.takes === false) return;
    const { startMs = 0, lease = 0 } = grants[i] ?? {};
    const key = keyOf(counter);
    const known = byCounter.get(key);
    const taken = Math.max(known?.taken ?? 0, counter.cost);
    byCounter.set(key, { counter, startMs, lease, taken, demands: [...(known?.demands ?? []), i] });
  });
  return [...byCounter.values()];
}

/** What the demands of one counter have used: an actual cost that is no whole number leaves the reserved one. */
export function usedBy(
  demands: readonly Demand[],
  positions: readonly number[],
  actualCosts: readonly number[],
): number {
  return Math.max(
    ...positions.map((i) => {
      const actual = actualCosts[i];
      return isCount(actual) ? actual : (demands[i]?.cost ?? 0);
    }),
  );
}
