/** Traffic of a process of its own, so that neither a busy test nor a busy gateway hides what the other does. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { waitFor } from '@gatehouse/test/kit';
import type { LoadReport } from './ledger.ts';
import type { LoadTask, Order, Reply } from './task.ts';

export { type LoadReport, type Mishap, quantile } from './ledger.ts';
export type { LoadTask } from './task.ts';

export interface Load extends AsyncDisposable {
  /** How it stands. */
  report(): Promise<LoadReport>;
  /** Sends nothing new, waits for every answer and stream, and reports how all of it ended. */
  finish(): Promise<LoadReport>;
}

const GENERATOR = fileURLToPath(new URL('./generator.ts', import.meta.url));
/** Of the streams, open at the same time: one that has just ended is being replaced. */
const STEADY_SHARE = 0.8;

/** Starts a load and, unless `steady` is false, waits until its streams are open and requests have been answered. */
export async function startLoad(task: LoadTask, { steady = true } = {}): Promise<Load> {
  const child = fork(GENERATOR, { execArgv: ['--conditions=@gatehouse/source'], serialization: 'json' });
  const ask = (message: Order): Promise<LoadReport> => exchange(child, message);
  const load: Load = {
    report: () => ask({ order: 'report' }),
    finish: () => ask({ order: 'finish' }),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
  try {
    await ask({ order: 'start', task });
    if (steady) await untilSteady(load, task);
  } catch (error) {
    await load[Symbol.asyncDispose]();
    throw error;
  }
  return load;
}

async function untilSteady(load: Load, task: LoadTask): Promise<void> {
  await waitFor(
    async () => {
      const { requests, openStreams } = await load.report();
      return openStreams >= task.streams * STEADY_SHARE && requests.ok >= task.requestsPerSecond;
    },
    { what: 'a steady load' },
  );
}

async function exchange(child: ChildProcess, message: Order): Promise<LoadReport> {
  const answered = new Promise<LoadReport>((resolve, reject) => {
    const settle = (): void => {
      child.off('message', onReply);
      child.off('exit', onExit);
    };
    const onReply = (reply: Reply): void => {
      if (reply.order !== message.order) return;
      settle();
      resolve(reply.report);
    };
    const onExit = (): void => {
      settle();
      reject(new Error('The load has ended by itself'));
    };
    child.on('message', onReply);
    child.on('exit', onExit);
  });
  child.send(message);
  return answered;
}
