/** How much of budgets is used, for the few that are nearest to their ends. */
import { Gauge, type Registry } from 'prom-client';

/** Budgets with a series of their own. */
const MAX_BUDGETS = 100;

export const BUDGET_GAUGES = {
  budgetUsed: {
    name: 'gatehouse_budget_used_ratio',
    help: `Used part of a budget, of the ${MAX_BUDGETS} with the least left; of a policy, that of the group with the least left`,
    labels: ['kind', 'workspace', 'name', 'budget'],
    aggregator: 'max',
  },
  budgetsExhausted: {
    name: 'gatehouse_budgets_exhausted',
    help: 'Counters of budgets that are used up, by the kind of their owner',
    labels: ['kind'],
    aggregator: 'max',
  },
} as const;

/** A counter of a budget. */
export interface BudgetReading {
  readonly budget: {
    readonly id: string;
    readonly slot: string;
    readonly owner: {
      readonly kind: string;
      readonly id: string;
      readonly slug: string;
      readonly bucket?: string | undefined;
    };
    readonly limit: number;
  };
  readonly used: number;
}

/** `read` is called when metrics are scraped. */
export function createBudgetMetrics(registry: Registry, read: () => Iterable<BudgetReading>): void {
  const { budgetUsed, budgetsExhausted } = BUDGET_GAUGES;
  new Gauge({
    ...{ name: budgetUsed.name, help: budgetUsed.help, aggregator: budgetUsed.aggregator, registers: [registry] },
    labelNames: [...budgetUsed.labels],
    collect() {
      this.reset();
      for (const { labels, ratio } of nearestEnds(read())) this.set(labels, ratio);
    },
  });
  new Gauge({
    ...{ name: budgetsExhausted.name, help: budgetsExhausted.help, aggregator: budgetsExhausted.aggregator },
    ...{ registers: [registry], labelNames: [...budgetsExhausted.labels] },
    collect() {
      this.reset();
      for (const { budget, used } of read()) if (used >= budget.limit) this.inc({ kind: budget.owner.kind });
    },
  });
}

interface Series {
  readonly labels: Readonly<Record<(typeof BUDGET_GAUGES.budgetUsed.labels)[number], string>>;
  readonly ratio: number;
}

function nearestEnds(readings: Iterable<BudgetReading>): readonly Series[] {
  const series = new Map<string, Series>();
  let least = 0;
  for (const reading of readings) {
    const ratio = reading.used / reading.budget.limit;
    if (!(ratio > least)) continue;
    const labels = labelsOf(reading);
    const key = JSON.stringify(labels);
    if ((series.get(key)?.ratio ?? 0) >= ratio) continue;
    series.set(key, { labels, ratio });
    if (series.size >= MAX_BUDGETS * 2) least = dropTail(series);
  }
  dropTail(series);
  return [...series.values()];
}

/** Leaves the series with the least left; returns the ratio of the last of them. */
function dropTail(series: Map<string, Series>): number {
  const sorted = [...series].sort(([, a], [, b]) => b.ratio - a.ratio);
  for (const [key] of sorted.slice(MAX_BUDGETS)) series.delete(key);
  return sorted[MAX_BUDGETS - 1]?.[1].ratio ?? 0;
}

function labelsOf({ budget: { id, slot, owner } }: BudgetReading): Series['labels'] {
  const budget = owner.bucket === undefined ? id.slice(owner.id.length + 1) : owner.slug;
  return { kind: owner.kind, workspace: slot, name: owner.slug, budget };
}
