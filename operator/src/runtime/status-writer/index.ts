export { conditionOf, type ObservedCondition } from './conditions.ts';
export { createRate, type Rate } from './rate.ts';
export { isSuspended, suspendedStatus } from './suspended.ts';
export {
  createStatusWriter,
  STATUS_OUTCOMES,
  type StatusDraft,
  type StatusOutcome,
  type StatusWriter,
  type StatusWriterOptions,
} from './writer.ts';
