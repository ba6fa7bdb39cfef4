import { type OperatorProcess, type OperatorSetup, startOperator } from '../operator/operator/support.ts';

/** An operator that is started again when it ends. */
export interface SupervisedOperator extends AsyncDisposable {
  /** The process that runs now; undefined between two. */
  readonly current: OperatorProcess | undefined;
  readonly starts: number;
  /** Ends the process like a crash; the next one is started automatically. */
  kill(): Promise<void>;
}

/** Resolves when the first process answers for its health. */
export async function superviseOperator(setup: OperatorSetup): Promise<SupervisedOperator> {
  let current: OperatorProcess | undefined;
  let starts = 0;
  let isStopped = false;
  const start = async (): Promise<void> => {
    const started = await startOperator(setup);
    starts += 1;
    if (isStopped) return started.kill();
    current = started;
    started.child.once('exit', () => {
      if (current === started) current = undefined;
      if (!isStopped) restarting = start().catch(retry);
    });
  };
  // One that cannot start while the API server fails is started again.
  const retry = (): Promise<void> => (isStopped ? Promise.resolve() : start().catch(retry));
  let restarting: Promise<void> = Promise.resolve();
  await start();
  return {
    get current() {
      return current;
    },
    get starts() {
      return starts;
    },
    kill: async () => {
      await current?.kill();
    },
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      await current?.kill();
      await restarting;
    },
  };
}
