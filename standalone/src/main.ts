#!/usr/bin/env node
/** The composition root of the command line: the only module that acts on the process. */
import cluster from 'node:cluster';
import { Socket } from 'node:net';
import { runCommandLine, type StopSignal } from './cli/index.ts';
import { LOG_FD, runWorker } from './workers/index.ts';

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
  const log = new Socket({ fd: LOG_FD, readable: false });
  log.on('error', () => undefined); // the parent has ended
  runWorker({
    id: cluster.worker.id,
    variables: process.env,
    send: (message) => {
      if (process.connected) process.send?.(message);
    },
    writeLog: (text, onWritten) => log.write(text, () => onWritten()),
    onMessage: (listener) => process.on('message', listener),
    ignoreSignals: () => {
      for (const signal of STOP_SIGNALS) process.on(signal, () => undefined);
    },
    onFault,
    exit: (code) => process.exit(code),
  });
}
