/** Rate limits around a request: its entry, and each of its targets; docs/behaviour/limits.md. */
export { admit, type LimitLog, type LimitPorts } from './entry.ts';
export type { TargetHold } from './settlement.ts';
export { countsUsage, holdTarget } from './target.ts';
export type { LimitTrail } from './trail.ts';
