/** Statuses of the objects that the Snapshot is made of. */
export { isServed, toStatus } from './object-status.ts';
export { createStatusQueue, type StatusPorts, type StatusQueue } from './status-queue.ts';
