export { type AddOptions, createQueue, type Queue, type QueueOptions } from './queue.ts';
export type { Lane, Taken } from './queue-state.ts';
