/** The gateway of a pod: a source of Snapshots, the listeners, and an end in good order (DESIGN section 6 "Drain"). */
import {
  readEnvironment,
  type SnapshotSourceSettings,
  snapshotSourceOf,
  toSettings,
  type Variables,
} from '../config/index.ts';
import { createGateway, createLogger, type Gateway, type Logger } from '../index.ts';
import {
  createKubernetesSource,
  createSidecarSource,
  type SnapshotSource,
  type SourceOptions,
} from '../snapshot/index.ts';

export type StopSignal = 'SIGTERM' | 'SIGINT';

/** What a program needs of its process. */
export interface ProgramSurroundings {
  readonly variables: Variables;
  onStop(listener: (signal: StopSignal) => void): void;
  /** Errors that nobody caught. */
  onFault(listener: (error: unknown) => void): void;
  /** A line for people, where there is no logger yet. */
  complain(line: string): void;
  exit(code: number): void;
}

/** The process was told something it cannot work with: EX_CONFIG of sysexits.h. */
const EXIT_CONFIG = 78;
const EXIT_FAILED = 1;
/** As shells count: 128 and the number of the signal. */
const EXIT_OF_SIGNAL: Readonly<Record<StopSignal, number>> = { SIGTERM: 143, SIGINT: 130 };

/** Serves until it is told to stop; answers with the exit code. A second signal ends the process at once. */
export async function runProgram(surroundings: ProgramSurroundings): Promise<number> {
  const read = readSettings(surroundings);
  if (read === undefined) return EXIT_CONFIG;
  const { settings, source: sourceSettings } = read;
  const logger = createLogger({ level: settings.logLevel, service: settings.serviceName });
  const pod = settings.podName === undefined ? logger : logger.child({ pod: settings.podName });
  surroundings.onFault((error) => pod.error({ err: error }, 'Error was not caught'));
  let source: SnapshotSource | undefined;
  const gateway = createGateway({
    settings,
    variables: surroundings.variables,
    logger: pod,
    sourceStatus: () => source?.status(),
  });
  source = createSource(sourceSettings, {
    snapshots: gateway.snapshots,
    log: pod,
    random: Math.random,
    onConnected: gateway.reportSource,
  });
  return serve({ gateway, source, logger: pod, surroundings });
}

interface Running {
  readonly gateway: Gateway;
  readonly source: SnapshotSource;
  readonly logger: Logger;
  readonly surroundings: ProgramSurroundings;
}

async function serve({ gateway, source, logger, surroundings }: Running): Promise<number> {
  const stopped = untilStopped(surroundings);
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
  // News goes on arriving: whoever is served until the end is served with what is right.
  await gateway.drain();
  await source.close();
  logger.info({}, 'Gateway ended');
  return 0;
}

function readSettings({ variables, complain }: ProgramSurroundings) {
  try {
    const environment = readEnvironment(variables);
    return { settings: toSettings(environment), source: snapshotSourceOf(environment) };
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
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

function untilStopped({ onStop, exit }: ProgramSurroundings): Promise<StopSignal> {
  return new Promise((resolve) => {
    let stopping = false;
    onStop((signal) => {
      if (stopping) exit(EXIT_OF_SIGNAL[signal]);
      stopping = true;
      resolve(signal);
    });
  });
}
