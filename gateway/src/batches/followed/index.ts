export { createFollowedBatches, createStoredMarks, type FollowPorts } from './followed-batches.ts';
export { type BatchCharges, FOLLOW_TIMING, type FollowTiming, type SettlePorts, settleFollowed } from './settle.ts';
