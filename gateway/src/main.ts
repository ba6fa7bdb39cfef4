/** The entry of the gateway's image: the only file that uses the global process. */
import { runProcess, type StopSignal } from './app/process.ts';

const STOP_SIGNALS: readonly StopSignal[] = ['SIGTERM', 'SIGINT'];

const code = await runProcess({
  variables: process.env,
  onStop: (listener) => {
    for (const signal of STOP_SIGNALS) process.on(signal, listener);
  },
  onFault: (listener) => {
    process.on('uncaughtException', listener);
    process.on('unhandledRejection', listener);
  },
  releaseMemory: () => {
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  },
  printError: (line) => process.stderr.write(`${line}\n`),
  exit: (status) => process.exit(status),
});
// An idle kept-alive connection must not keep the process.
process.exit(code);
