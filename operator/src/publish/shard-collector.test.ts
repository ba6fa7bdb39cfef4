import { describe, expect, test } from 'vitest';
import { createRate, systemClock } from '../runtime/index.ts';
import { createTestClock, flush } from '../runtime/time/testing.ts';
import { EMPTY_JOURNAL, type JournalRow, MAX_ROWS, MIN_UNREFERENCED_MS } from './journal.ts';
import type { PublishedWatch } from './published-watch.ts';
import { ShardCollector } from './shard-collector.ts';

const signal = new AbortController().signal;
const row = (name: string, sinceMs = 0): JournalRow => ({ name, secret: false, sinceMs });
const journal = (...shards: readonly JournalRow[]) => ({
  resourceVersion: '1',
  value: { ...EMPTY_JOURNAL, shards },
});

/** What stands beside a fleet, all of them ConfigMaps. */
function lookoutOn(names: readonly string[], isLive = true): PublishedWatch {
  return {
    isLive,
    find: ({ secret }, name) =>
      !secret && names.includes(name) ? { uid: `uid-${name}`, resourceVersion: '7', isLeaving: false } : undefined,
    names: ({ secret }) => (secret ? [] : names),
    run: async () => {},
  };
}

function collecting(watch: PublishedWatch | undefined, clock = systemClock) {
  const calls: string[] = [];
  const collector = new ShardCollector({
    store: {
      inspect: async (given) => {
        calls.push(`look ${given.name}`);
        return given.name === 'main-shard-gone' ? undefined : { row: given, uid: 'u', resourceVersion: '1' };
      },
      remove: async ({ row: { name } }) => {
        calls.push(`remove ${name}`);
        return true;
      },
    },
    prefix: 'main-shard-',
    watch,
    rate: createRate({ perSecond: 5, burst: 1, clock }),
  });
  return { collector, calls };
}

describe('a shard collector', () => {
  test('needs no call for what a watch shows', async () => {
    const { collector, calls } = collecting(lookoutOn(['main-shard-a', 'main-shard-named']));
    const chosen = await collector.choose(
      journal(row('main-shard-a'), row('main-shard-b'), row('main-shard-young', 1)),
      { named: [{ name: 'main-shard-named', secret: false }], nowMs: MIN_UNREFERENCED_MS },
      { signal },
    );
    expect(chosen.unused).toEqual([
      { row: row('main-shard-a'), uid: 'uid-main-shard-a', resourceVersion: '7', isLeaving: false },
    ]);
    expect(chosen.rows?.map(({ name }) => name)).toEqual(['main-shard-a', 'main-shard-young']);
    expect(calls).toEqual([]);
  });

  test('finds shards that are not in the journal, waits for their time, and ignores other objects', async () => {
    const there = ['main-shard-restored', 'main-shard-named', 'main-snapshot', 'other-shard-x'];
    const { collector } = collecting(lookoutOn(there));
    const named = [{ name: 'main-shard-named', secret: false }];
    const { unused, rows } = await collector.choose(journal(), { named, nowMs: 5 }, { signal });
    expect([unused, rows]).toEqual([[], [row('main-shard-restored', 5)]]);
    const at = { named, nowMs: 5 + MIN_UNREFERENCED_MS };
    const later = await collector.choose(journal(...(rows ?? [])), at, { signal });
    expect(later.unused.map(({ row: { name } }) => name)).toEqual(['main-shard-restored']);
  });

  test('takes no more into the journal than it has room for', async () => {
    const there = Array.from({ length: 20_000 }, (_, i) => `main-shard-${i}`);
    const { collector } = collecting(lookoutOn(there));
    const known = [row('main-shard-known', 1)];
    const { rows = [] } = await collector.choose(journal(...known), { named: [], nowMs: 5 }, { signal });
    expect(rows).toHaveLength(MAX_ROWS);
    const full = await collector.choose(journal(...rows), { named: [], nowMs: 6 }, { signal });
    expect(full).toEqual({ unused: [], rows: undefined });
  });

  test.for([
    { rule: 'without a watch', watch: undefined },
    { rule: 'while the watch is not open', watch: lookoutOn([], false) },
  ])('reads each shard that is due $rule', async ({ watch }) => {
    const { collector, calls } = collecting(watch);
    const given = journal(row('main-shard-a'), row('main-shard-gone'), row('main-shard-young', 1));
    const { unused, rows } = await collector.choose(given, { named: [], nowMs: MIN_UNREFERENCED_MS }, { signal });
    expect(calls).toEqual(['look main-shard-a', 'look main-shard-gone']);
    expect(unused.map(({ row: { name } }) => name)).toEqual(['main-shard-a']);
    expect(rows?.map(({ name }) => name)).toEqual(['main-shard-a', 'main-shard-young']);
  });

  test('writes no journal when there is nothing to do', async () => {
    const { collector } = collecting(lookoutOn([]));
    const at = { named: [], nowMs: 0 };
    expect(await collector.choose(journal(row('main-shard-a', 0)), at, { signal })).toMatchObject({ rows: undefined });
  });

  test('deletes five a second, however many there are', async () => {
    const clock = createTestClock();
    const { collector, calls } = collecting(undefined, clock);
    const unused = Array.from({ length: 446 }, (_, i) => ({
      row: row(`main-shard-${i}`),
      uid: 'u',
      resourceVersion: '1',
    }));
    const done = collector.remove(unused, { signal });
    for (const second of [1, 2, 3, 60]) {
      while (clock.monotonicMs() < second * 1_000) await step(clock);
      expect(calls.length).toBeLessThanOrEqual(second * 5 + 1);
      expect(calls.length).toBeGreaterThanOrEqual(second * 5 - 1);
    }
    while (calls.length < 446) await step(clock);
    expect(await done).toBe(446);
    expect(clock.monotonicMs()).toBeLessThan(5 * 60_000);
  });
});

async function step(clock: ReturnType<typeof createTestClock>): Promise<void> {
  await flush();
  clock.advance(100);
  await flush();
}
