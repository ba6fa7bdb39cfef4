export { LEASE_TIMING, type LeaseTiming, leaseTiming } from './election.ts';
export { createLeader, type Leader, type LeaderOptions, type Leadership, LeaseLostError } from './leader.ts';
