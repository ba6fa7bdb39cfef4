/** The process of a gateway pod: settings, a source of Snapshots, the gateway, signals and exit codes. */
import {
  managementOf,
  readEnvironment,
  type SnapshotSourceSettings,
  snapshotSourceOf,
  toSettings,
  type Variables,
} from '../config/index.ts';
import {
  createKubernetesSource,
  createSidecarSource,
  type SnapshotSource,
  type SourceOptions,
} from '../snapshot/index.ts';
import { createLogger, type Logger } from '../telemetry/index.ts';
import { createGateway, type Gateway } from './gateway.ts';

export type StopSignal = 'SIGTERM' | 'SIGINT';

/** The parts of the operating system's process that `runProcess` uses. */
export interface ProcessPort {
  readonly variables: Variables;
  onStop(listener: (signal: StopSignal) => void): void;
  /** Uncaught errors. */
  onFault(listener: (error: unknown) => void): void;
  /** Collects garbage and gives its memory back to the system: after starting, and after the first Snapshot. */
  releaseMemory(): void;
  /** Writes a line to standard error, where there is no logger yet. */
  printError(line: string): void;
  exit(code: number): void;
}

/** The settings are not valid: EX_CONFIG of sysexits.h. */
const EXIT_CONFIG = 78;
const EXIT_FAILED = 1;
/** As shells do: 128 and the number of the signal. */
const EXIT_OF_SIGNAL: Readonly<Record<StopSignal, number>> = { SIGTERM: 143, SIGINT: 130 };

/** Serves until a stop signal; resolves with the exit code. A second signal ends the process at once. */
export async function runProcess(process: ProcessPort): Promise<number> {
  const read = readSettings(process);
  if (read === undefined) return EXIT_CONFIG;
  const { settings, source: sourceSettings, management } = read;
  const logger = createLogger({ level: settings.logLevel, service: settings.serviceName });
  const pod = settings.podName === undefined ? logger : logger.child({ pod: settings.podName });
  process.onFault((error) => pod.error({ err: error }, 'Error was not caught'));
  let source: SnapshotSource | undefined;
  const gateway = createGateway({
    settings,
    variables: process.variables,
    logger: pod,
    sourceStatus: () => source?.status(),
    management,
  });
  source = createSource(sourceSettings, {
    snapshots: gateway.snapshots,
    log: pod,
    random: Math.random,
    onConnected: gateway.reportSource,
  });
  return serve({ gateway, source, logger: pod, process });
}

interface Running {
  readonly gateway: Gateway;
  readonly source: SnapshotSource;
  readonly logger: Logger;
  readonly process: ProcessPort;
}

async function serve({ gateway, source, logger, process }: Running): Promise<number> {
  const stopped = untilStopped(process);
  process.releaseMemory(); // before anything is served: it takes a tenth of a second
  afterFirstSnapshot(gateway, process.releaseMemory);
  source.start();
  try {
    const ports = await gateway.listen();
    logger.info(ports, 'Gateway listens');
  } catch (error) {
    logger.fatal({ err: error }, 'Listeners could not be opened');
    await Promise.all([source.close(), gateway.close()]);
    return EXIT_FAILED;
  }
  const signal = await stopped;
  logger.info({ signal }, 'Gateway drains');
  // The source stays open meanwhile: requests served until the end get the newest Snapshot.
  await gateway.drain();
  await source.close();
  logger.info({}, 'Gateway ended');
  return 0;
}

/** Calls back in the turn in which the gateway becomes ready, so that no request waits. */
function afterFirstSnapshot({ snapshots }: Gateway, then: () => void): void {
  const stop = snapshots.onChange(({ version }) => {
    if (version === undefined) return;
    stop();
    then();
  });
}

function readSettings({ variables, printError }: ProcessPort) {
  try {
    const environment = readEnvironment(variables);
    return {
      settings: toSettings(environment),
      source: snapshotSourceOf(environment),
      management: managementOf(environment),
    };
  } catch (error) {
    printError(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function createSource(settings: SnapshotSourceSettings, options: SourceOptions): SnapshotSource {
  switch (settings.kind) {
    case 'kubernetes':
      return createKubernetesSource(settings, options);
    case 'sidecar':
      return createSidecarSource(settings, options);
  }
}

function untilStopped({ onStop, exit }: ProcessPort): Promise<StopSignal> {
  return new Promise((resolve) => {
    let stopping = false;
    onStop((signal) => {
      if (stopping) exit(EXIT_OF_SIGNAL[signal]);
      stopping = true;
      resolve(signal);
    });
  });
}
