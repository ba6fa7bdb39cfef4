/** Several processes behind one port: a parent that reads the resources, and workers that serve. */
export { type Child, forkWorker, LOG_FD } from './children.ts';
export { createWorkerPool, type WorkerPool } from './pool.ts';
export { runWorker, type WorkerProcess } from './run-worker.ts';
export { createStateClient, createStateServer } from './shared-state/index.ts';
