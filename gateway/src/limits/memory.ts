import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../lib/entry-bound.ts';
import { type RateLimit, type RateLimiter, WINDOW_MS } from './limiter.ts';

interface Window {
  start: number;
  consumed: number;
}

/** Subjects times limits that are remembered; the least used ones are forgotten, which lets them start a new window. */
const MAX_WINDOWS = 200_000;

/** Counters of this process alone. */
export function createMemoryRateLimiter(maxWindows: number = MAX_WINDOWS): RateLimiter {
  const windows = new LRUCache<string, Window>(atMostEntries(maxWindows));
  return {
    consume: (subject, limits, nowMs) => {
      const current = limits.map((limit) =>
        windowOf(windows, `${subject}|${limit.unit}|${limit.value}`, startOf(limit, nowMs)),
      );
      const full = limits.findIndex((limit, i) => (current[i]?.consumed ?? 0) + 1 > limit.value);
      const limit = limits[full];
      if (limit !== undefined) {
        return { allowed: false, limit, retryAfterMs: startOf(limit, nowMs) + WINDOW_MS[limit.unit] - nowMs };
      }
      for (const window of current) window.consumed += 1;
      return { allowed: true };
    },
    close: async () => windows.clear(),
  };
}

const startOf = ({ unit }: RateLimit, nowMs: number): number => nowMs - (nowMs % WINDOW_MS[unit]);

function windowOf(windows: LRUCache<string, Window>, key: string, start: number): Window {
  const known = windows.get(key);
  if (known?.start === start) return known;
  const fresh = { start, consumed: 0 };
  windows.set(key, fresh);
  return fresh;
}
