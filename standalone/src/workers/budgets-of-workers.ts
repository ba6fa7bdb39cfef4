/** What all workers know of budgets. They count in one place, and each knows of what the others told last. */
import type { BudgetUsage, UsageSource } from '@gatehouse/gateway';
import { createRound } from './round.ts';
import type { Worker } from './worker.ts';

export interface BudgetsOfWorkers extends UsageSource {
  onUsage(worker: Pick<Worker, 'id'>, usage: readonly BudgetUsage[]): void;
  /** A worker has ended and will not answer. */
  onExit(worker: Pick<Worker, 'id'>): void;
}

export function createBudgetsOfWorkers(
  workers: () => readonly Pick<Worker, 'id' | 'requestUsage' | 'seed'>[],
): BudgetsOfWorkers {
  /** By worker; a worker that is late counts with its last answer. */
  const answers = new Map<number, readonly BudgetUsage[]>();
  const round = createRound(workers, (worker) => worker.requestUsage());
  return {
    usage: async () => {
      await round.ask();
      return merge([...answers.values()].flat());
    },
    onChange: () => undefined, // callers look again every second
    seed: (totals) => {
      for (const worker of workers()) worker.seed(totals);
    },
    onUsage: ({ id }, usage) => {
      answers.set(id, usage);
      round.settle(id);
    },
    onExit: ({ id }) => {
      answers.delete(id);
      round.settle(id);
    },
  };
}

/** Of the answers about a counter the newest period counts, and in it the largest use. */
function merge(all: readonly BudgetUsage[]): readonly BudgetUsage[] {
  const merged = new Map<string, BudgetUsage>();
  for (const usage of all) {
    const known = merged.get(usage.budget.id);
    const isNews =
      known === undefined ||
      usage.periodStartMs > known.periodStartMs ||
      (usage.periodStartMs === known.periodStartMs && usage.used > known.used);
    if (isNews) merged.set(usage.budget.id, usage);
  }
  return [...merged.values()];
}
