/** The entry point of the operator's image: the only file that uses `process`. */

import { runManagement, runOperator, runRetirement } from './app/index.ts';
import { parseOptions, usage } from './config/index.ts';
import { createLog } from './log.ts';

/** Exit codes. */
const EXIT = { stopped: 0, failed: 1, usage: 2, leaseLost: 3 } as const;
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** Longest duration of a stop: within the 30 s that Kubernetes grants, in ms. */
const STOP_MS = 25_000;

const options = parseOptions(process.argv.slice(2), process.env);
if (!options.ok) {
  process.stderr.write(`${options.error.join('\n')}\nSee --help.\n`);
  process.exit(EXIT.usage);
}
if (options.value === 'help') {
  process.stdout.write(usage());
  process.exit(EXIT.stopped);
}

const service = options.value.management ? 'gatehouse-management' : 'gatehouse-operator';
const log = createLog({ level: options.value.logLevel, service });
const stop = new AbortController();
for (const signal of STOP_SIGNALS) {
  process.once(signal, () => {
    log.info({ signal }, 'Process stops');
    stop.abort(new Error(`received ${signal}`));
    setTimeout(() => process.exit(EXIT.failed), STOP_MS).unref();
  });
}
// A call that fails while connections are closed must not hide that the lease was lost.
let failureCode: number = EXIT.failed;
const die = (error: unknown): never => {
  log.error({ err: error }, 'Process failed');
  process.exit(failureCode);
};
process.on('uncaughtException', die);
process.on('unhandledRejection', die);

if (options.value.retire) {
  const left = await runRetirement(options.value, log, stop.signal);
  process.exit(left.length === 0 ? EXIT.stopped : EXIT.failed);
}
if (options.value.management) {
  await runManagement(options.value, { log, signal: stop.signal, variables: process.env });
  log.info({}, 'Management API stopped');
  process.exit(EXIT.stopped);
}
const leadership = await runOperator(options.value, {
  log,
  signal: stop.signal,
  variables: process.env,
  onEnd: (ended) => {
    if (ended === 'lost') failureCode = EXIT.leaseLost;
  },
});
log.info({ leadership }, 'Operator stopped');
process.exit(leadership === 'lost' ? EXIT.leaseLost : EXIT.stopped);
