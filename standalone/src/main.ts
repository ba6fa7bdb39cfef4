#!/usr/bin/env node
/** The composition root of the command line: the only module that uses `process`. */
import { runCommandLine, type StopSignal } from './cli/index.ts';

const STOP_SIGNALS: readonly StopSignal[] = ['SIGTERM', 'SIGINT'];

// The reader of the output may close it early, as `head` does.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

process.exitCode = await runCommandLine(process.argv.slice(2), {
  variables: process.env,
  interactive: process.stdout.isTTY === true,
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  onStop: (listener) => {
    for (const signal of STOP_SIGNALS) process.on(signal, listener);
    return () => {
      for (const signal of STOP_SIGNALS) process.off(signal, listener);
    };
  },
  onFault: (listener) => {
    process.on('uncaughtException', listener);
    process.on('unhandledRejection', listener);
  },
  exit: (code) => process.exit(code),
});
