/**
 * Thread of the open-loop generator: counts up the arrivals that are due. Node's own timers have steps of 1 ms, which would
 * turn a constant rate into bursts; a futex wait is good to about 50 µs.
 */
import { workerData } from 'node:worker_threads';
import { clockMs } from './clock.ts';

export interface Pace {
  /** One Int32: arrivals due so far. */
  readonly arrivals: SharedArrayBuffer;
  readonly startMs: number;
  readonly intervalMs: number;
  readonly total: number;
}

const { arrivals, startMs, intervalMs, total } = workerData as Pace; // what open-loop.ts passes
const due = new Int32Array(arrivals);
const never = new Int32Array(new SharedArrayBuffer(4));

for (let next = 0; next < total; ) {
  const aheadMs = startMs + next * intervalMs - clockMs();
  if (aheadMs > 0) {
    Atomics.wait(never, 0, 0, aheadMs);
    continue;
  }
  next = Math.min(total, next + 1 + Math.floor(-aheadMs / intervalMs));
  Atomics.store(due, 0, next);
  Atomics.notify(due, 0);
}
