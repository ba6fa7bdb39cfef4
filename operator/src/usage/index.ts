/** What budgets have used: reported by the pods of fleets, shown in statuses, announced once per period. */
export { createPodUsage, type PodUsage } from './pod-usage.ts';
export {
  type AlertKind,
  type BudgetAlert,
  createUsageTracker,
  type UsageTracker,
  type UsageTrackerOptions,
} from './usage-tracker.ts';
