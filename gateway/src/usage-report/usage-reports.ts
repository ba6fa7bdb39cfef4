import { randomUUID } from 'node:crypto';
import { type BudgetRow, byNearestEnd, MAX_USAGE_ROWS, type UsageReport, type UsageTotal } from '@gatehouse/crds/usage';
import type { Budgets, BudgetUsage } from '../budgets/index.ts';

/** The budgets that are reported: of this process, or of its workers. */
export interface UsageSource extends Pick<Budgets, 'onChange' | 'seed'> {
  /** See `Budgets`. Never rejects. */
  usage(): readonly BudgetUsage[] | Promise<readonly BudgetUsage[]>;
}

/** Where a caller stands: see `UsageReport`. */
export interface UsageCursor {
  readonly process: string;
  readonly after: number;
}

export interface UsageReports {
  /** The counters with the least left. */
  current(): Promise<UsageReport>;
  /**
   * What has changed since: a budget that came to its end, its alert or another tenth. Waits for something new until the signal
   * ends. A cursor of another process, or none, begins at the start.
   */
  changes(cursor: UsageCursor, signal: AbortSignal): Promise<UsageReport>;
  /** See `UsageSource`. */
  seed(totals: readonly UsageTotal[]): void;
}

export interface UsageReportsOptions {
  readonly source: UsageSource;
  /** How often waiting callers are told of another tenth, in ms. */
  readonly intervalMs?: number;
}

/** Costs nothing until the first question. */
export function createUsageReports({ source, intervalMs = INTERVAL_MS }: UsageReportsOptions): UsageReports {
  const journal = new Journal();
  let onNews: (() => void)[] = [];
  source.onChange(() => {
    const waiting = onNews;
    onNews = [];
    for (const wake of waiting) wake();
  });
  /** Resolves with the next change, after the interval, or with the signal. */
  const untilNews = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        onNews = onNews.filter((wake) => wake !== finish);
        resolve();
      };
      const timer = setTimeout(finish, intervalMs);
      signal.addEventListener('abort', finish, { once: true });
      onNews.push(finish);
    });
  return {
    current: async () => journal.current(await source.usage()),
    changes: async (cursor, signal) => {
      for (;;) {
        const report = journal.since(cursor, await source.usage());
        if (report.budgets.length > 0 || report.process !== cursor.process || signal.aborted) return report;
        await untilNews(signal);
      }
    },
    seed: source.seed,
  };
}

const INTERVAL_MS = 1_000;
/** Steps in which the use of a budget is told. */
const STEPS = 10;

interface Noted {
  readonly sequence: number;
  /** What a change of which is told. */
  readonly state: string;
}

/** Counters in the order of their last change. */
class Journal {
  readonly #process = randomUUID();
  readonly #noted = new Map<string, Noted>();
  #sequence = 0;

  current(usage: readonly BudgetUsage[]): UsageReport {
    const rows = usage.map(toRow).sort(byNearestEnd);
    return this.#report(rows.slice(0, MAX_USAGE_ROWS), {
      sequence: this.#sequence,
      more: rows.length > MAX_USAGE_ROWS,
    });
  }

  since({ process, after }: UsageCursor, usage: readonly BudgetUsage[]): UsageReport {
    const rows = this.#note(usage);
    const start = process === this.#process ? after : 0;
    const found: BudgetRow[] = [];
    let sequence = Math.min(start, this.#sequence);
    for (const [id, noted] of this.#noted) {
      if (noted.sequence <= start) continue;
      if (found.length === MAX_USAGE_ROWS) return this.#report(found, { sequence, more: true });
      const row = rows.get(id);
      if (row !== undefined) found.push(row);
      sequence = noted.sequence;
    }
    return this.#report(found, { sequence, more: false });
  }

  #report(budgets: BudgetRow[], { sequence, more }: Pick<UsageReport, 'sequence' | 'more'>): UsageReport {
    return { process: this.#process, sequence, more, budgets };
  }

  /** Gives what has changed the next numbers, the nearest to its end first. */
  #note(usage: readonly BudgetUsage[]): ReadonlyMap<string, BudgetRow> {
    const rows = new Map(usage.map((one) => [one.budget.id, toRow(one)]));
    const changed = [...rows.values()]
      .filter((row) => this.#noted.get(row.id)?.state !== stateOf(row))
      .sort(byNearestEnd);
    for (const row of changed) {
      this.#sequence += 1;
      this.#noted.delete(row.id); // so that it becomes the last
      this.#noted.set(row.id, { sequence: this.#sequence, state: stateOf(row) });
    }
    for (const id of this.#noted.keys()) if (!rows.has(id)) this.#noted.delete(id);
    return rows;
  }
}

function toRow({ budget, used, periodStartMs, resetsAtMs, generation }: BudgetUsage): BudgetRow {
  const { id, slot, owner, name, type, limit, alertAt } = budget;
  return {
    ...{ id, slot, owner, name, type, limit, used, periodStartMs, generation },
    ...(alertAt === undefined ? {} : { alertAt }),
    ...(resetsAtMs === undefined ? {} : { resetsAtMs }),
  };
}

/** A text that changes with what callers are told. */
function stateOf({ used, limit, alertAt = Number.POSITIVE_INFINITY, periodStartMs, generation }: BudgetRow): string {
  const step = used >= limit ? STEPS : Math.floor((used / limit) * STEPS);
  return `${periodStartMs} ${generation} ${limit} ${step} ${used >= alertAt}`;
}
