import type { Bench } from '../bench.ts';
import type { AttackResult, AttackTask } from './attack.ts';
import type { OpenLoopResult, OpenLoopTask } from './open-loop.ts';
import type { StreamsResult, StreamsTask } from './streams.ts';

export type { AttackName, AttackResult } from './attack.ts';
export { chatBody, imageBody } from './chat-body.ts';
export { type ClosedLoopResult, closedLoop } from './closed-loop.ts';
export type { OpenLoopResult, OpenLoopTask } from './open-loop.ts';
export type { StreamsResult, StreamsTask } from './streams.ts';

/** How much longer than its own time a task may take, in ms. */
const GRACE_MS = 60_000;

/** Requests at a constant rate, answered or not (open-loop.ts). */
export function openLoop({ processes }: Bench, task: OpenLoopTask): Promise<OpenLoopResult> {
  const timeoutMs = (task.warmupSeconds + task.seconds) * 1_000 + GRACE_MS;
  return processes.runTask(new URL('./open-loop.ts', import.meta.url), task, timeoutMs);
}

/** Many event streams at once (streams.ts). */
export function streams({ processes }: Bench, task: StreamsTask): Promise<StreamsResult> {
  const timeoutMs = (task.rampSeconds + task.seconds) * 1_000 + GRACE_MS;
  return processes.runTask(new URL('./streams.ts', import.meta.url), task, timeoutMs);
}

/** Requests made to exhaust the peer (attack.ts). */
export function attack({ processes }: Bench, task: AttackTask): Promise<AttackResult> {
  return processes.runTask(new URL('./attack.ts', import.meta.url), task, task.seconds * 1_000 + GRACE_MS);
}
