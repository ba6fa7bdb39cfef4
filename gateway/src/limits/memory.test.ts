/** What only the limiter in memory does; what every limiter does is in test/conformance/limits. */
import { describe, expect, test } from 'vitest';
import { createMemoryLimiter, type Demand } from './index.ts';

const START = Date.UTC(2026, 0, 1);
const demand = (over: Partial<Demand> = {}): Demand => ({
  subject: 'key/team/a',
  slot: 'team',
  unit: 'requests',
  window: 'rpd',
  limit: 1,
  cost: 1,
  ...over,
});

describe('a limiter in memory', () => {
  test('answers at once', () => {
    const { ask, reserve } = createMemoryLimiter();
    expect(ask([demand()], START)).toEqual({ allowed: true });
    expect(reserve([demand()], START).allowed).toBe(true);
    expect(reserve([demand()], START).allowed).toBe(false);
  });

  test('forgets the least used counter when there are too many', () => {
    const { reserve } = createMemoryLimiter({ maxCounters: 2 });
    for (const subject of ['a', 'b', 'c']) reserve([demand({ subject })], START);
    expect(reserve([demand({ subject: 'c' })], START).allowed).toBe(false);
    expect(reserve([demand({ subject: 'a' })], START).allowed).toBe(true);
  });

  test('keeps no counter for what it is only asked about', () => {
    const { ask, reserve } = createMemoryLimiter({ maxCounters: 1 });
    reserve([demand()], START);
    for (let i = 0; i < 10; i += 1) ask([demand({ subject: `key/team/${i}` })], START);
    expect(reserve([demand()], START).allowed).toBe(false);
  });

  test('lets the oldest estimates count until their windows end when too many are open', () => {
    const { ask, reserve } = createMemoryLimiter({ maxHeld: 2, holdMs: 1_000 });
    const estimate = demand({ unit: 'tokens', limit: 100, cost: 20, estimated: true });
    for (let i = 0; i < 3; i += 1) reserve([estimate], START);
    const after = START + 1_000;
    expect(ask([{ ...estimate, cost: 80 }], after).allowed).toBe(true);
    expect(ask([{ ...estimate, cost: 81 }], after).allowed).toBe(false);
  });
});
