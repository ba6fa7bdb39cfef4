/** The root of the gateway's image: the only place of it that touches the process. */
import { runProgram, type StopSignal } from './program/index.ts';

const STOP_SIGNALS: readonly StopSignal[] = ['SIGTERM', 'SIGINT'];

const code = await runProgram({
  variables: process.env,
  onStop: (listener) => {
    for (const signal of STOP_SIGNALS) process.on(signal, listener);
  },
  onFault: (listener) => {
    process.on('uncaughtException', listener);
    process.on('unhandledRejection', listener);
  },
  complain: (line) => process.stderr.write(`${line}\n`),
  exit: (status) => process.exit(status),
});
// What is idle, such as a kept-alive connection, must not keep the process.
process.exit(code);
