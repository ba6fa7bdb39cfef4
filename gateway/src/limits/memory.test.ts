import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryRateLimiter, type RateLimit, type RateVerdict, WINDOW_MS } from './index.ts';

const START = Date.UTC(2026, 0, 1); // midnight, so that windows up to a day begin here
const rpm = (value: number): RateLimit => ({ unit: 'rpm', value });
const rph = (value: number): RateLimit => ({ unit: 'rph', value });

function limiter(maxWindows?: number) {
  const created = createMemoryRateLimiter(maxWindows);
  return {
    ...created,
    consume: (subject: string, limits: readonly RateLimit[], now: number) =>
      created.consume(subject, limits, now) as RateVerdict, // memory answers at once
  };
}

describe('a request limit', () => {
  test('admits its value per window and says when the window ends', () => {
    const { consume } = limiter();
    expect([1, 2].map((ms) => consume('k', [rpm(2)], START + ms).allowed)).toEqual([true, true]);
    expect(consume('k', [rpm(2)], START + 15_000)).toEqual({ allowed: false, limit: rpm(2), retryAfterMs: 45_000 });
    expect(consume('k', [rpm(2)], START + 59_999)).toMatchObject({ retryAfterMs: 1 });
    expect(consume('k', [rpm(2)], START + 60_000).allowed).toBe(true);
  });

  test('has windows aligned to the epoch', () => {
    for (const [unit, size] of Object.entries(WINDOW_MS) as [RateLimit['unit'], number][]) {
      const { consume } = limiter();
      const middle = Math.floor(START / size) * size + size / 2;
      consume('k', [{ unit, value: 1 }], middle);
      expect(consume('k', [{ unit, value: 1 }], middle + size / 2 - 1).allowed).toBe(false);
      expect(consume('k', [{ unit, value: 1 }], middle + size / 2).allowed).toBe(true);
    }
  });

  test('that denies consumes nothing, of no other limit either', () => {
    const { consume } = limiter();
    const limits = [rpm(1), rph(3)];
    expect(consume('k', limits, START).allowed).toBe(true);
    for (let i = 0; i < 50; i += 1) expect(consume('k', limits, START + i)).toMatchObject({ limit: rpm(1) });
    expect(consume('k', limits, START + 60_000).allowed).toBe(true);
    expect(consume('k', limits, START + 120_000).allowed).toBe(true);
    expect(consume('k', limits, START + 180_000)).toMatchObject({ allowed: false, limit: rph(3) });
  });

  test('knows its subjects apart', () => {
    const { consume } = limiter();
    consume('a', [rpm(1)], START);
    expect(consume('b', [rpm(1)], START).allowed).toBe(true);
  });

  test('forgets the least used subject when there are too many', () => {
    const { consume } = limiter(2);
    for (const subject of ['a', 'b', 'c']) consume(subject, [rpm(1)], START);
    expect(consume('c', [rpm(1)], START).allowed).toBe(false);
    expect(consume('a', [rpm(1)], START).allowed).toBe(true);
  });

  test('without limits admits everything', () => {
    expect(limiter().consume('k', [], START)).toEqual({ allowed: true });
  });

  test('never admits more than its value in a window, and as many when enough ask', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 60 }),
        (value, steps) => {
          const { consume } = limiter(10);
          const asked = new Map<number, number>();
          const admitted = new Map<number, number>();
          let now = START;
          for (const step of steps) {
            now += step;
            const window = Math.floor(now / 60_000);
            asked.set(window, (asked.get(window) ?? 0) + 1);
            if (consume('k', [rpm(value)], now).allowed) admitted.set(window, (admitted.get(window) ?? 0) + 1);
          }
          expect(admitted).toEqual(new Map([...asked].map(([window, count]) => [window, Math.min(count, value)])));
        },
      ),
    );
  });
});
