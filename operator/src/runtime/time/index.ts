export { type Backoff, type BackoffBounds, createBackoff, exponentialMs } from './backoff.ts';
export { aborted, type Clock, sleep, systemClock, untilAborted } from './clock.ts';
export { type Coalescer, type CoalescerOptions, createCoalescer } from './coalescer.ts';
export { type Deadline, startDeadline } from './deadline.ts';
