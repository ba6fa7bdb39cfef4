/**
 * Child process: sends requests at a constant rate, whatever the answers do, and measures from the moment each request was
 * due, not from when a connection was free for it (no coordinated omission). Started by index.ts over IPC.
 */
import { Worker } from 'node:worker_threads';
import type { Target } from '../target.ts';
import { requestBytes } from '../target.ts';
import { clockMs } from './clock.ts';
import { Connection } from './connection.ts';
import { Histogram, type Summary } from './histogram.ts';
import type { Pace } from './pacer.ts';
import { answerTask } from './task.ts';

export interface OpenLoopTask {
  readonly target: Target;
  readonly body: string;
  readonly ratePerSecond: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
}

export interface OpenLoopResult {
  /** In µs. */
  readonly latency: Summary;
  readonly failed: number;
  /** Requests that had to wait for a connection; they are measured like all others. */
  readonly queued: number;
  /** From the first request to the last answer, warm-up included. */
  readonly answersPerSecond: number;
}

/** More than the concurrency at half load needs; what exceeds it waits, which the measured time includes. */
const CONNECTIONS = 128;
/** From the start of the pacer's thread to its first arrival. */
const LEAD_MS = 200;

async function run(task: OpenLoopTask): Promise<OpenLoopResult> {
  const request = requestBytes(task.target, task.body);
  const intervalMs = 1_000 / task.ratePerSecond;
  const total = Math.round((task.warmupSeconds + task.seconds) * task.ratePerSecond);
  const warmup = Math.round(task.warmupSeconds * task.ratePerSecond);
  const latency = new Histogram();
  const idle: Connection[] = [];
  const inFlight = new Map<Connection, number>();
  const waiting: number[] = [];
  let answered = 0;
  let failed = 0;
  let queued = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });

  let startMs = 0;

  const send = (connection: Connection, arrival: number): void => {
    inFlight.set(connection, arrival);
    connection.send(request);
  };
  const onAnswer = (connection: Connection, { ok }: { readonly ok: boolean }): void => {
    const arrival = inFlight.get(connection) ?? 0;
    if (!ok) failed += 1;
    else if (arrival >= warmup) latency.record((clockMs() - startMs - arrival * intervalMs) * 1_000);
    answered += 1;
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else send(connection, next);
    if (answered === total) finish();
  };
  const onLost = (): void => {
    throw new Error('The peer closed a connection during the measurement');
  };
  for (let i = 0; i < CONNECTIONS; i += 1) idle.push(await Connection.open(task.target, { onAnswer, onLost }));

  startMs = clockMs() + LEAD_MS;
  const arrivals = new SharedArrayBuffer(4);
  const pace: Pace = { arrivals, startMs, intervalMs, total };
  const pacer = new Worker(new URL('./pacer.ts', import.meta.url), { workerData: pace });
  for await (const [from, to] of dueRanges(new Int32Array(arrivals), total)) {
    for (let arrival = from; arrival < to; arrival += 1) {
      const connection = idle.pop();
      if (connection === undefined) {
        queued += 1;
        waiting.push(arrival);
      } else send(connection, arrival);
    }
  }
  await finished;
  const answersPerSecond = (total * 1_000) / (clockMs() - startMs);
  await pacer.terminate();
  for (const connection of idle) connection.close();
  return { latency: latency.summary(), failed, queued, answersPerSecond };
}

/** The arrivals that have become due since the last time, until all have. */
async function* dueRanges(due: Int32Array, total: number): AsyncGenerator<readonly [from: number, to: number]> {
  for (let done = 0; done < total; ) {
    const change = Atomics.waitAsync(due, 0, done);
    if (change.async) await change.value;
    const now = Atomics.load(due, 0);
    yield [done, now];
    done = now;
  }
}

answerTask(run);
