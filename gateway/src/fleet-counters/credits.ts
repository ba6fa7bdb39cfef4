import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../lib/entry-bound.ts';
import { type CounterName, WINDOW_MS } from '../limits/index.ts';

/** Units that the fleet has counted in a window, and that no request has used. */
export interface Credits {
  give(counter: CounterName, units: number, reservedMs: number): void;
  /** Whether there were as many; then they are used. */
  take(counter: CounterName, units: number, nowMs: number): boolean;
}

interface Credit {
  readonly window: number;
  units: number;
}

/** Counters with credits; of more the least used ones are forgotten, which counts too much. */
const MAX_CREDITS = 10_000;

export function createCredits(): Credits {
  const credits = new LRUCache<string, Credit>(atMostEntries(MAX_CREDITS));
  const keyOf = ({ subject, slot, unit, window }: CounterName): string => `${unit} ${window} ${slot} ${subject}`;
  const windowAt = ({ window }: CounterName, timeMs: number): number => Math.floor(timeMs / WINDOW_MS[window]);
  return {
    give: (counter, units, reservedMs) => {
      const key = keyOf(counter);
      const window = windowAt(counter, reservedMs);
      const known = credits.get(key);
      if (known?.window === window) known.units += units;
      else if (known === undefined || known.window < window) credits.set(key, { window, units });
    },
    take: (counter, units, nowMs) => {
      if (units === 0) return false;
      const known = credits.get(keyOf(counter));
      if (known === undefined || known.window !== windowAt(counter, nowMs) || known.units < units) return false;
      known.units -= units;
      return true;
    },
  };
}
