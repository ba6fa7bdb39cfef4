import { describe, expect, test } from 'vitest';
import { createRestarts } from './restarts.ts';

describe('replacing workers', () => {
  test('waits longer for each that ends within a minute, and starts over when they stay', () => {
    let nowMs = 0;
    const restarts = createRestarts(() => nowMs);
    expect(Array.from({ length: 8 }, restarts.next)).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000]);
    nowMs += 120_000;
    expect(restarts.next()).toBe(100);
  });

  test('starts twenty within a minute at most', () => {
    const restarts = createRestarts(() => 0);
    const waits = Array.from({ length: 60 }, restarts.next).sort((a, b) => a - b);
    for (const [at, waitMs] of waits.entries()) {
      const later = waits[at + 20];
      if (later !== undefined) expect(later - waitMs).toBeGreaterThanOrEqual(60_000);
    }
  });
});
