/** Statuses: conditions of every Kind, and the queue that writes those of the objects that the Snapshot is made of. */
export { type RunProgress, summariseRun } from './conditions.ts';
export { isServed, toStatus } from './object-status.ts';
export { createStatusQueue, type StatusPorts, type StatusQueue } from './status-queue.ts';
