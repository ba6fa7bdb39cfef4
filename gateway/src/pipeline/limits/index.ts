/** Rate limits and budgets around a request: its entry, and each of its targets; docs/behaviour/limits.md. */
export { countsUsage } from './asked.ts';
export { admit, type LimitLog, type LimitPorts } from './entry.ts';
export { chargeSpent, type TargetHold } from './settlement.ts';
export { holdTarget } from './target.ts';
export type { LimitTrail } from './trail.ts';
export { unmeteredLimit } from './unmetered.ts';
