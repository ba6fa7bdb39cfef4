export { createFollowedBatches, createStoredMarks, type FollowPorts } from './followed-batches.ts';
export { type CallAs, callAs, type OwnCallPorts, ownerOf, type Use } from './own-call.ts';
export {
  type BatchCharges,
  FOLLOW_TIMING,
  type FollowTiming,
  type SettlePorts,
  settleFollowed,
  withinMs,
} from './settle.ts';
