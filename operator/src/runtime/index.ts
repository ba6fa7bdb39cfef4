/** The controller runtime: it knows Kubernetes and none of our Kinds. */
export * from './apply/index.ts';
export * from './client/index.ts';
export * from './controller/index.ts';
export * from './events/index.ts';
export * from './health/index.ts';
export * from './leader/index.ts';
export type { Log } from './log.ts';
export * from './metrics/index.ts';
export * from './queue/index.ts';
export * from './reflector/index.ts';
export * from './status-writer/index.ts';
export * from './store/index.ts';
export {
  type Backoff,
  type BackoffBounds,
  type Clock,
  type Coalescer,
  type CoalescerOptions,
  createBackoff,
  createCoalescer,
  type Deadline,
  sleep,
  startDeadline,
  systemClock,
  untilAborted,
} from './time/index.ts';
