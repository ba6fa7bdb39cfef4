/** Worker processes by `node:cluster`: all of them listen on one socket of the parent. */
import cluster from 'node:cluster';
import type { Readable } from 'node:stream';
import type { ParentMessage, WorkerMessage } from './messages.ts';

/** The file descriptor of a worker's log. */
export const LOG_FD = 4;

/** A process that has been started. */
export interface Child {
  /** From 1; not used again. */
  readonly id: number;
  readonly pid: number;
  /** Resolves when the message is on its way, or the child has ended. */
  send(message: ParentMessage): Promise<void>;
  onMessage(listener: (message: WorkerMessage) => void): void;
  /** Called once, with the exit status or the signal. */
  onExit(listener: (reason: number | string) => void): void;
  /** Its log. */
  readonly log: Readable;
  /** Ends it immediately. */
  kill(): void;
}

/**
 * Starts this program again as a worker. Connections wait in one queue of the kernel, from which workers take them: a worker that
 * ends leaves the queue as it is. With round-robin, the parent would accept and hand over each connection on the channel of the
 * counters, and one on its way to a worker that ends would hang. Throws when the system starts no further process.
 */
export function forkWorker(): Child {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({
    args: ['worker'],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
  });
  const worker = cluster.fork();
  const { pid, stdio } = worker.process;
  worker.on('error', () => undefined); // its end is told by `exit`, a failed start by the missing pid
  if (pid === undefined) throw new Error('The system could not start a process; it may lack memory or open files');
  return {
    id: worker.id,
    pid,
    send: (message) =>
      new Promise((resolve) => {
        if (!worker.isConnected()) resolve();
        else worker.process.send(message, undefined, undefined, () => resolve()); // its end is told by `exit`
      }),
    onMessage: (listener) => worker.on('message', listener),
    onExit: (listener) => worker.once('exit', (code, signal) => listener(signal ?? code)),
    log: stdio[LOG_FD] as Readable, // a pipe that it writes to
    kill: () => worker.process.kill('SIGKILL'),
  };
}
