export { aborted, untilAborted } from './abort.ts';
export { type Backoff, type BackoffBounds, createBackoff, exponentialMs } from './backoff.ts';
export { type Clock, sleep, systemClock } from './clock.ts';
export { type Coalescer, type CoalescerOptions, createCoalescer } from './coalescer.ts';
export { type Deadline, startDeadline } from './deadline.ts';
