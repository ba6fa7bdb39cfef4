import { type BudgetRow, MAX_USAGE_ROWS, usageReport } from '@gatehouse/crds/usage';
import { describe, expect, test } from 'vitest';
import { type BudgetUsage, toSchedule } from '../budgets/index.ts';
import { createUsageReports } from './index.ts';

const usageOf = (name: string, used: number, over: Partial<BudgetUsage> = {}): BudgetUsage => ({
  budget: {
    id: `key/red/${name}|main`,
    name: 'main',
    slot: 'red',
    owner: { kind: 'key', id: `key/red/${name}`, slug: name },
    type: 'requests',
    limit: 100,
    alertAt: 85,
    schedule: toSchedule({}),
  },
  used,
  periodStartMs: 0,
  resetsAtMs: undefined,
  exhausted: used >= 100,
  alert: used >= 85,
  generation: 'g1',
  ...over,
});

function stage(...given: BudgetUsage[]) {
  let rows = given;
  const listeners: (() => void)[] = [];
  const seeded: unknown[] = [];
  const reports = createUsageReports({
    source: {
      usage: () => rows,
      onChange: (listener) => void listeners.push(() => listener(usageOf('x', 0))),
      seed: (totals) => void seeded.push(...totals),
    },
    intervalMs: 1,
  });
  return {
    reports,
    seeded,
    set: (...next: BudgetUsage[]) => {
      rows = next;
    },
    announce: () => {
      for (const listener of listeners) listener();
    },
  };
}

const NEVER = new AbortController().signal;
const START = { process: '', after: 0 };
const names = (rows: readonly BudgetRow[]): string[] => rows.map(({ owner: { slug } }) => slug);

describe('what has changed', () => {
  test('is everything for a caller that asks for the first time, the nearest to its end first', async () => {
    const { reports } = stage(usageOf('a', 10), usageOf('b', 90), usageOf('c', 50));
    const report = await reports.changes(START, NEVER);
    expect(names(report.budgets)).toEqual(['b', 'c', 'a']);
    expect(usageReport.parse(report)).toEqual(report);
  });

  test.for<{ rule: string; next: BudgetUsage }>([
    { rule: 'comes to another tenth', next: usageOf('a', 20) },
    { rule: 'comes to its alert', next: usageOf('a', 85) },
    { rule: 'comes to its end', next: usageOf('a', 100) },
    { rule: 'begins another period', next: usageOf('a', 10, { periodStartMs: 7 }) },
    { rule: 'is counted anew by its store', next: usageOf('a', 10, { generation: 'g2' }) },
  ])('is a budget that $rule, and no other', async ({ next }) => {
    const { reports, set } = stage(usageOf('a', 10), usageOf('b', 90));
    const { process, sequence } = await reports.changes(START, NEVER);
    set(next, usageOf('b', 90.5));
    const later = await reports.changes({ process, after: sequence }, NEVER);
    expect(names(later.budgets)).toEqual(['a']);
  });

  test('is nothing until the signal ends where a budget stays within its tenth', async () => {
    const { reports, set } = stage(usageOf('a', 10));
    const { process, sequence } = await reports.changes(START, NEVER);
    set(usageOf('a', 19));
    const stop = new AbortController();
    const waiting = reports.changes({ process, after: sequence }, stop.signal);
    stop.abort();
    expect(await waiting).toMatchObject({ process, sequence, more: false, budgets: [] });
  });

  test('is told at once when a budget says so', async () => {
    const slow = stage(usageOf('a', 10));
    const { process, sequence } = await slow.reports.changes(START, NEVER);
    const waiting = slow.reports.changes({ process, after: sequence }, NEVER);
    slow.set(usageOf('a', 100));
    slow.announce();
    expect(names((await waiting).budgets)).toEqual(['a']);
  });

  test('comes in parts where it is much, without gap or repetition', async () => {
    const all = Array.from({ length: MAX_USAGE_ROWS * 2 + 1 }, (_, i) => usageOf(`k${i}`, i % 100));
    const { reports } = stage(...all);
    const seen: string[] = [];
    let cursor = START;
    for (let more = true; more; ) {
      const report = await reports.changes(cursor, NEVER);
      seen.push(...names(report.budgets));
      cursor = { process: report.process, after: report.sequence };
      more = report.more;
    }
    expect(seen.length).toBe(all.length);
    expect(new Set(seen).size).toBe(all.length);
  });

  test('leaves out budgets that are no longer counted', async () => {
    const { reports, set } = stage(usageOf('a', 10), usageOf('b', 20));
    set(usageOf('b', 20));
    expect(names((await reports.changes(START, NEVER)).budgets)).toEqual(['b']);
  });
});

test('the current use is that of the budgets with the least left', async () => {
  const { reports } = stage(usageOf('a', 10), usageOf('b', 90));
  expect(await reports.current()).toMatchObject({ more: false, budgets: [{ used: 90, name: 'main' }, { used: 10 }] });
});

test('totals are passed on to the budgets', () => {
  const { reports, seeded } = stage();
  const total = { id: 'key/red/a|main', slot: 'red', periodStartMs: 0, generation: 'g0', used: 5 };
  reports.seed([total]);
  expect(seeded).toEqual([total]);
});

test('a row has the name of its budget, whatever the id of the counter is', async () => {
  const usage = usageOf('a', 10);
  const { reports } = stage({ ...usage, budget: { ...usage.budget, id: 'key/red/a|x|y', name: 'monthly|all' } });
  expect((await reports.current()).budgets).toMatchObject([{ id: 'key/red/a|x|y', name: 'monthly|all' }]);
});
