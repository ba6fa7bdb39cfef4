import { describe, expect, test } from 'vitest';
import { Follower, PAGE_ROWS, type Row } from './follow.ts';

/** A log in memory that answers pages as the management API does. `write`: rows so many ms ago. */
function setup(filters: Readonly<Record<string, string>> = {}) {
  let now = Date.UTC(2026, 0, 31);
  let log: { readonly id: string; readonly ms: number }[] = [];
  let made = 0;
  let asked = 0;
  const cuts: number[] = [];
  const write = (count: number, agoMs = 0): void => {
    for (let i = 0; i < count; i += 1) {
      made += 1;
      log.push({ id: `r${made}`, ms: now - agoMs });
    }
    if (agoMs === 0) log = [...log.slice(-count).reverse(), ...log.slice(0, -count)];
    else log = log.toSorted((one, other) => other.ms - one.ms || (other.id > one.id ? 1 : -1));
  };
  const follower = new Follower({
    filters,
    page: async (query) => {
      asked += 1;
      const from = Date.parse(query['time_of_generation_min'] ?? '');
      const to = Date.parse(query['time_of_generation_max'] ?? '2100-01-01T00:00:00Z');
      const found = log.filter(({ ms }) => ms >= from && ms <= to);
      const start = Number(query['current_page']) * PAGE_ROWS;
      const rows = found.slice(start, start + PAGE_ROWS);
      return { rows: rows.map(({ id, ms }) => ({ id, created_at: new Date(ms).toISOString() })), total: found.length };
    },
    onCut: (ms) => cuts.push(ms),
    now: () => now,
  });
  const shown: Row[] = [];
  const poll = async (): Promise<number> => {
    let calls = 0;
    for (let isBehind = true; isBehind; calls += 1) {
      const next = await follower.next();
      shown.push(...next.rows);
      isBehind = next.isBehind;
    }
    return calls;
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return {
    follower,
    write,
    shown,
    poll,
    pass,
    cuts,
    ids: () => shown.map(({ id }) => id),
    made: () => made,
    asked: () => asked,
  };
}

const range = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, i) => `r${from + i}`);

describe('rows that come', () => {
  test('are shown once, also those of a burst of many pages, the oldest first', async () => {
    const { follower, write, pass, poll, shown, ids, cuts } = setup();
    write(3_500, 1_000);
    await follower.begin();
    for (let i = 0; i < 25; i += 1) {
      pass(10);
      write(1_111);
    }
    expect(await poll()).toBe(3); // at most 10,000 are held
    expect(new Set(ids())).toEqual(new Set(range(3_501, 3_500 + 25 * 1_111)));
    expect(shown).toHaveLength(25 * 1_111);
    const times = shown.map((row) => String(row['created_at']));
    expect(times).toEqual(times.toSorted());
    expect(await poll()).toBe(1);
    expect([shown.length, cuts]).toEqual([25 * 1_111, []]);
  });

  test('far behind others are found, though not at once', async () => {
    const { follower, write, pass, poll, ids } = setup();
    await follower.begin();
    pass(300_000);
    write(5_000);
    await poll();
    write(1, 299_000); // of a request that took long, behind five pages
    for (let i = 0; i < 15; i += 1) {
      pass(2_000);
      write(10);
      await poll();
    }
    expect(ids()).toContain('r5001');
    expect(new Set(ids()).size).toBe(5_151);
    expect(ids()).toHaveLength(5_151);
  });

  test('before the start, or before --since, are not shown', async () => {
    const { follower, write, poll, ids } = setup({
      time_of_generation_min: new Date(Date.UTC(2026, 0, 30, 23, 59)).toISOString(),
    });
    write(500, 30_000);
    await follower.begin();
    write(1, 50_000);
    write(1, 70_000);
    await poll();
    expect(ids()).toEqual(['r501']);
  });

  test('cost one question where nothing is new, however many there are', async () => {
    const { follower, write, poll, asked } = setup();
    write(9_000);
    await follower.begin();
    const before = asked();
    await poll();
    expect(asked() - before).toBe(1);
  });
});

test('more rows than can be known shorten the time that late ones have, which is said', async () => {
  const { follower, write, pass, poll, ids, cuts, made } = setup();
  for (let i = 0; i < 30; i += 1) {
    pass(1_000);
    write(1_000);
  }
  await follower.begin();
  expect(cuts).toHaveLength(1);
  for (let i = 0; i < 25; i += 1) {
    pass(2_000);
    write(9_000);
    await poll();
  }
  expect(ids()).toHaveLength(made() - 30_000);
  expect(new Set(ids()).size).toBe(made() - 30_000);
  expect(cuts.length).toBeGreaterThan(1);
});
