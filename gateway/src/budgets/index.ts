export { type Buckets, type BucketsOptions, createBuckets, OVERFLOW_BUCKET } from './buckets.ts';
export type { BudgetStore, Seed, SyncDone, SyncReply, SyncRequest } from './budget-store.ts';
export {
  type BudgetDenial,
  type BudgetLimit,
  type Budgets,
  type BudgetTotal,
  type BudgetType,
  type BudgetUsage,
  type Charge,
  MAX_AMOUNT,
  type Spend,
} from './budgets.ts';
export { type BudgetsOptions, createBudgets } from './create-budgets.ts';
export { createMemoryBudgetStore, type MemoryBudgetStoreOptions } from './memory-store.ts';
export { BUDGET_SCRIPTS, createRedisBudgetStore } from './redis-store.ts';
export { type Period, periodAt, type Schedule, toSchedule } from './schedule.ts';
export { createOnceCharges, type OnceCharges, type OnceOptions } from './settle-once.ts';
