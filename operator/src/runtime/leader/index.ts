export type { LeaderOptions } from './candidate.ts';
export { LEASE_TIMING, type LeaseTiming, leaseTiming } from './election.ts';
export { createLeader, type Leader, type Leadership, LeaseLostError } from './leader.ts';
