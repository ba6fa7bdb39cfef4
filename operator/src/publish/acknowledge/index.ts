export {
  type Acknowledgement,
  type Acknowledgements,
  type AcknowledgementsOptions,
  createAcknowledgements,
  servesContent,
} from './acknowledgements.ts';
export type { PodAnswer, RejectedVersion, SkippedEntry } from './answer.ts';
export { type FleetPod, originOf } from './follow.ts';
export { readText } from './read-text.ts';
