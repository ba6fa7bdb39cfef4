#!/usr/bin/env node
/** The composition root of the command line: the only module that uses `process`. */
import cluster from 'node:cluster';
import { runCommandLine, type StopSignal } from './cli/index.ts';
import { runWorker } from './workers/index.ts';

const STOP_SIGNALS: readonly StopSignal[] = ['SIGTERM', 'SIGINT'];

// The reader of the output may close it early, as `head` does.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const onFault = (listener: (error: unknown) => void): void => {
  process.on('uncaughtException', listener);
  process.on('unhandledRejection', listener);
};

if (cluster.worker === undefined) {
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
    onFault,
    exit: (code) => process.exit(code),
  });
} else {
  runWorker({
    id: cluster.worker.id,
    variables: process.env,
    send: (message, onSent) => {
      if (process.connected) process.send?.(message, undefined, undefined, onSent);
    },
    onMessage: (listener) => process.on('message', listener),
    ignoreSignals: () => {
      for (const signal of STOP_SIGNALS) process.on(signal, () => undefined);
    },
    onFault,
    exit: (code) => process.exit(code),
  });
}
