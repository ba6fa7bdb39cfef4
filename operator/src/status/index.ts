/** Statuses of the objects that the Snapshot is made of. */
export { isServed, toStatus } from './object-status.ts';
export { createStatusDesk, type StatusDesk, type StatusPorts } from './status-queue.ts';
